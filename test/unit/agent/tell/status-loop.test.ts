import { expect, test } from 'vitest';
import { createStatusLoop } from '../../../../src/agent/tell/status-loop.ts';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { createWakeup } from '../../../../src/lib/wakeup.ts';

const { signal } = new AbortController();

test('a socket that cannot be opened is said once for each reason, and so is that it is open again', async () => {
  const denied = new TributaryError('state-unwritable', 'opening the socket: no right');
  const looks = [[], denied, denied, ['socket' as const], denied, []];
  const said: unknown[] = [];
  const loop = createStatusLoop({
    status: {
      async keepOpen() {
        const look = looks.shift();
        if (look instanceof Error) throw look;
        return look ?? [];
      },
    },
    log: {
      info: (fields: object) => said.push(fields),
      warn: (fields: object) => said.push(fields),
    },
    wakeup: createWakeup(),
  });
  while (looks.length > 0) await loop.tick(signal);
  expect(said).toEqual([
    { reason: denied.message },
    { opened: ['socket'] },
    { reason: denied.message },
  ]);
});

test('a bug in it is thrown on', async () => {
  const fail = () => Promise.reject(new Error('a bug'));
  const log = { info: () => undefined, warn: () => undefined };
  const loop = createStatusLoop({ status: { keepOpen: fail }, log, wakeup: createWakeup() });
  await expect(loop.tick(signal)).rejects.toThrow('a bug');
});
