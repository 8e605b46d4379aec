import { expect, onTestFinished, test } from 'vitest';
import { createClients } from '../../../src/reference-service/clients.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import { createBlocks } from '../../../src/reference-service/platform/blocks.ts';
import { createProvideKeys } from '../../../src/reference-service/platform/provide-keys.ts';
import { createProxies } from '../../../src/reference-service/proxies.ts';
import { makeDirectory } from '../../make-directory.ts';

const blockMs = 60_000;

function open({ mode = 3 } = {}) {
  const clock = { ms: 1_800_000_000_000 };
  const now = () => clock.ms;
  const database = openDatabase(makeDirectory());
  onTestFinished(() => database.close());
  const { networkId } = createNetworks(database, now).ensureFirst();
  const text = { description: '', deviceSpec: '', provideMode: 'none' } as const;
  const { clientId } = createClients(database, createProxies(database), now).create({
    networkId,
    ...text,
  });
  createProvideKeys(database).publish(clientId, [{ mode, secret: Buffer.alloc(32) }]);
  const blocks = createBlocks(database, now);
  const sync = (isNew: boolean, messages = 1) =>
    blocks.sync([{ clientId, isNew, messages, atMs: clock.ms }]);
  return { clock, blocks, clientId, sync, judge: () => blocks.judge(clientId, 0) };
}

test.each<readonly [string, number, (of: ReturnType<typeof open>) => void]>([
  ['a connection that is heard of counts', 1, ({ sync }) => sync(true)],
  ['one that came back once counts', 1, ({ sync }) => [true, false].map((isNew) => sync(isNew))],
  ['one that came back twice does not', 0, ({ sync }) => [true, true].map((isNew) => sync(isNew))],
  ['one that says nothing does not', 0, ({ sync }) => sync(true, 0)],
  [
    'one that published again does not',
    0,
    ({ sync, blocks, clientId }) => {
      sync(true);
      blocks.noteChange(clientId);
    },
  ],
])('of a minute, %s', (_, valid, act) => {
  const opened = open();
  act(opened);
  expect(opened.judge()).toEqual({ blocks: 1, valid });
  // The next minute begins with nothing of it.
  opened.clock.ms += blockMs;
  opened.sync(false);
  expect(opened.judge()).toEqual({ blocks: 2, valid: valid + 1 });
});

test('who publishes for nobody has no minute that counts', () => {
  const { sync, judge } = open({ mode: 4 });
  sync(true);
  expect(judge()).toEqual({ blocks: 1, valid: 0 });
});
