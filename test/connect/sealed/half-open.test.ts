import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createHandshakePool, type OpenHandshake } from '../../../src/connect/sealed/handshake.ts';
import { loadIdentity, makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import type { SealedSession } from '../../../src/connect/sealed/session.ts';
import { createTlsServer } from '../../../src/connect/sealed/tls-server.ts';
import { controlKinds } from '../../../src/connect/wire/encrypted-control.ts';
import { control, openSession, toEpochId } from './session-world.ts';
import { createTlsClient } from './tls-client.ts';

test('of 10,000 hellos that nobody follows, 64 hold something of TLS', async () => {
  let [open, most, flights] = [0, 0, 0];
  const pool = createHandshakePool(sealedLimits.handshakes);
  const openTls = createTlsServer(loadIdentity(makeIdentity(randomBytes)));
  const openCounted: OpenHandshake = (events) => {
    const handshake = openTls({
      ...events,
      onBytes(bytes) {
        flights++;
        events.onBytes(bytes);
      },
    });
    most = Math.max(most, ++open);
    return {
      ...handshake,
      close() {
        open--;
        handshake.close();
      },
    };
  };
  const client = createTlsClient(makeIdentity(randomBytes), {});
  let hello: Buffer = Buffer.alloc(0);
  while (hello.length === 0) {
    await turn();
    hello = client.take();
  }
  client.end();
  const sessions: SealedSession[] = [];
  for (let count = 0; count < 10_000; count++) {
    const session = openSession({ pool, openHandshake: openCounted });
    session.take(control(controlKinds.handshake, hello, toEpochId(1)), 0);
    sessions.push(session);
    if (count % 16 === 15) await turn();
  }
  for (const session of sessions) session.step(0);
  expect(sessions[0]?.counters().failed).toEqual({ evicted: 1 });
  expect(sessions.at(-1)?.counters().failed).toEqual({});
  expect(pool.count()).toBe(sealedLimits.handshakes);
  expect(open).toBe(sealedLimits.handshakes);
  expect(most).toBe(sealedLimits.handshakes);
  // TLS has answered each of them before it was given up.
  expect(flights).toBeGreaterThan(9000);
  for (const session of sessions) session.step(sealedLimits.halfOpenMs);
  expect([open, pool.count()]).toEqual([0, 0]);
}, 300_000);
