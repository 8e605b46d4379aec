import { expect, test } from 'vitest';
import { closeConsumerRoutes } from '../../src/reference-service/wireguard.ts';
import { createFakeNetwork } from './fake-network.ts';

const ours = ['-4 rule pref 100 iif cons0 lookup 52000', '-4 route default dev ref0 table 52000'];

test("closing takes the consumers' rule and table away and nothing else", async () => {
  const network = createFakeNetwork(() => '');
  const foreign = '-4 rule pref 100 iif other0 lookup 77';
  for (const line of [...ours, foreign]) network.lines.add(line);
  await closeConsumerRoutes(network.exec, 'cons0', 'ref0');
  expect([...network.lines]).toEqual([foreign]);
});

test('closing where nothing was opened changes nothing', async () => {
  const network = createFakeNetwork(() => '');
  await closeConsumerRoutes(network.exec, 'cons0', 'ref0');
  expect(network.lines.size).toBe(0);
});
