import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createHeldEnds } from '../../src/reference-service/held-ends.ts';

/** Both ends of one connection, and the clients that are there. */
function openEnds() {
  const clients = new Set(['kitchen', 'shed']);
  const ends = createHeldEnds((clientId) => clients.has(clientId));
  return { clients, ends, client: new PassThrough(), remote: new PassThrough() };
}

test('ends are closed with their client, and those of others are not', () => {
  const { clients, ends, client, remote } = openEnds();
  ends.hold('kitchen', [client]);
  ends.hold('shed', [remote]);
  clients.delete('kitchen');
  ends.closeGone();
  expect([client.destroyed, remote.destroyed]).toEqual([true, false]);
  ends.close();
  expect(remote.destroyed).toBe(true);
});

test('a client that closed while its place was reached leaves no connection behind', async () => {
  const { ends, client, remote } = openEnds();
  await once(client.destroy(), 'close');
  expect(() => ends.hold('kitchen', [client, remote])).toThrow('closed already');
  expect(remote.destroyed).toBe(true);
});

test('nor does one that was removed meanwhile', () => {
  const { clients, ends, client, remote } = openEnds();
  clients.delete('kitchen');
  expect(() => ends.hold('kitchen', [client, remote])).toThrow('closed already');
  expect([client.destroyed, remote.destroyed]).toEqual([true, true]);
});
