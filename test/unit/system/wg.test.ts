import { expect, test } from 'vitest';
import { observeWireGuard } from '../../../src/system/wg.ts';

const row = (...cells: readonly (string | number)[]) => `${cells.join('\t')}\n`;
const own = row('secret=', 'own=', 51820, 'off');

const observe = (...rows: readonly string[]) => observeWireGuard(async () => rows.join(''), 'x');

test("wg's answer becomes an interface with its peers", async () => {
  const found = await observe(
    own,
    row('a=', 'shared-secret=', '198.51.100.1:51820', '0.0.0.0/0,::/0', 1_700_000_000, 10, 20, 25),
    row('b=', '(none)', '(none)', '(none)', 0, 0, 148, 'off'),
  );
  expect(found).toEqual({
    publicKey: 'own=',
    peers: [
      {
        publicKey: 'a=',
        endpoint: '198.51.100.1:51820',
        allowedIps: ['0.0.0.0/0', '::/0'],
        lastHandshakeAt: 1_700_000_000,
        rxBytes: 10,
        txBytes: 20,
        persistentKeepaliveSeconds: 25,
      },
      {
        publicKey: 'b=',
        endpoint: undefined,
        allowedIps: [],
        lastHandshakeAt: undefined,
        rxBytes: 0,
        txBytes: 148,
        persistentKeepaliveSeconds: undefined,
      },
    ],
  });
});

test('a new interface has neither key nor peers', async () => {
  expect(await observe(row('(none)', '(none)', 0, 'off'))).toEqual({
    publicKey: undefined,
    peers: [],
  });
});

test('no secret key is part of what was observed', async () => {
  const found = await observe(own, row('a=', 'shared-secret=', '(none)', '(none)', 0, 0, 0, 'off'));
  expect(JSON.stringify(found)).not.toContain('secret');
});
