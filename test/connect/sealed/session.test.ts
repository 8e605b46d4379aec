import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import {
  createHandshakePool,
  type HandshakeEvents,
} from '../../../src/connect/sealed/handshake.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import type { SealedSession } from '../../../src/connect/sealed/session.ts';
import { controlKinds, encryptedControl } from '../../../src/connect/wire/encrypted-control.ts';
import { decode } from '../../../src/connect/wire/message.ts';
import { decodeTransferFrame } from '../../../src/connect/wire/transfer-frame.ts';
import {
  consumer,
  control,
  meet,
  nack,
  openSession,
  shakeHands,
  toEpochId,
} from './session-world.ts';
import vectors from './vectors.json' with { type: 'json' };

const fromHex = (hex: string): Buffer => Buffer.from(hex, 'hex');
const frame = Buffer.from('a whole frame');
const seal = (session: SealedSession): Buffer => {
  const sealed = session.seal(frame);
  if (sealed === undefined) throw new Error('nothing may be sealed');
  return sealed;
};

describe('a handshake with a consumer', () => {
  test('proves us, and frames are sealed both ways once the consumer seals', async () => {
    const session = openSession();
    const peer = await meet(session, 1);
    await peer.talkUntil(() => peer.proof() !== undefined, 0);
    expect(peer.hasProof()).toBe(true);
    expect(peer.client.group()).toBe('X25519MLKEM768');
    session.setPeerKey(consumer.publicKey);
    expect(peer.prove(0)).toBe('taken');
    // It has proven itself, and has not shown yet that it can open what we seal.
    expect(session.seal(frame)).toBeUndefined();
    expect(session.open(peer.cipher().seal(frame), 0)).toEqual(frame);
    expect(peer.cipher().open(seal(session))).toEqual(frame);
    expect(session.counters()).toMatchObject({ handshakes: 1, proven: 1, opened: 1, sealed: 1 });
  });

  test('an ack of our proof shows as well that the consumer can open what we seal', async () => {
    const session = openSession();
    const peer = await meet(session, 1);
    await peer.talkUntil(() => peer.proof() !== undefined, 0);
    session.setPeerKey(consumer.publicKey);
    peer.prove(0);
    session.acked(Buffer.from('some other control'));
    expect(session.canSeal()).toBe(false);
    session.acked(peer.proof() ?? Buffer.alloc(0));
    expect(peer.cipher().open(seal(session))).toEqual(frame);
  });

  test('goes by parts that fit beside a contract, and without the tickets of TLS', async () => {
    const session = openSession();
    const peer = await shakeHands(session, 1);
    for (let turns = 0; turns < 50; turns++) {
      peer.talk(0);
      await turn();
    }
    const flight = peer.heard.filter(({ kind }) => kind === controlKinds.handshake);
    const lengths = flight.map(({ payload }) => payload.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1100);
    // One flight: its second part is its last, and no record of tickets follows.
    expect(flight).toHaveLength(2);
    expect(peer.heard.every(({ role, epochId }) => role === 2 && epochId === peer.epochId)).toBe(
      true,
    );
  });

  test('a consumer without a group that quantum computers do not break is served', async () => {
    const session = openSession();
    const peer = await meet(session, 1, { groups: 'X25519' });
    await peer.talkUntil(() => peer.proof() !== undefined, 0);
    expect(peer.hasProof()).toBe(true);
    expect(peer.client.group()).toBe('X25519');
    expect(peer.sent).toHaveLength(2);
  });

  test('one that begins with a group which we do not take begins a second time', async () => {
    const session = openSession();
    const peer = await meet(session, 1, { groups: 'P-256:X25519' });
    await peer.talkUntil(() => peer.proof() !== undefined, 0);
    expect(peer.hasProof()).toBe(true);
    expect(peer.client.group()).toBe('X25519');
    expect(peer.sent).toHaveLength(3);
    expect(session.counters().handshakes).toBe(1);
  });

  test('a proof that comes before our key of the consumer, or before the handshake, is kept', async () => {
    const session = openSession();
    const peer = await meet(session, 1);
    await peer.talkUntil(() => peer.client.secrets() !== undefined, 0);
    peer.prove(0);
    await peer.talkUntil(() => peer.proof() !== undefined, 0);
    expect(session.open(peer.cipher().seal(frame), 0)).toBeUndefined();
    session.setPeerKey(consumer.publicKey);
    expect(session.open(peer.cipher().seal(frame), 0)).toEqual(frame);
  });

  test('our proof goes again after 2, 6, 14 and 30 s, until the consumer shows that it has it', async () => {
    const session = openSession();
    const peer = await meet(session, 1);
    await peer.talkUntil(() => peer.proof() !== undefined, 0);
    const proofs = () => peer.heard.filter(({ kind }) => kind === controlKinds.proof).length;
    const saidAt: number[] = [];
    for (let now = session.wakeAt(); now < 60_000; now = session.wakeAt()) {
      const before = proofs();
      peer.talk(now);
      if (proofs() > before) saidAt.push(now);
    }
    expect(saidAt).toEqual([2000, 6000, 14_000, 30_000]);
    expect(session.wakeAt()).toBe(sealedLimits.proofMs);
    session.step(sealedLimits.proofMs);
    expect(session.counters().failed).toEqual({ late: 1 });
  });
});

describe('what the network’s own consumer said in a session', () => {
  const { live } = vectors;

  /** The session with the keys that came of it: its handshake cannot be done a second time. */
  function openLive() {
    let events: HandshakeEvents | undefined;
    const session = openSession({
      openHandshake(told) {
        events = told;
        return { feed: () => undefined, close: () => undefined };
      },
    });
    const end = () =>
      events?.onDone({ frameKey: fromHex(live.aead_key), toProve: fromHex(live.proof_exporter) });
    return { session, end };
  }

  test('begins it, proves the consumer, and is opened', () => {
    const { session, end } = openLive();
    session.setPeerKey(fromHex(live.consumer_public_key));
    const outcomes: string[] = [];
    const opened: (string | undefined)[] = [];
    for (const { note, frame: bytes } of live.frames.filter((one) => one.note.startsWith('bbbb'))) {
      const { body } = decodeTransferFrame(fromHex(bytes));
      if (body.kind === 'sealed') opened.push(session.open(body.bytes, 0)?.toString('hex'));
      if (body.kind !== 'pack') continue;
      const [carried] = body.pack.frames.filter(({ type }) => type === 23);
      if (carried === undefined) continue;
      const said = decode(encryptedControl, carried.bytes);
      outcomes.push(session.take(said, 0));
      if (note.endsWith('EC1') && outcomes.length === 2) end();
    }
    expect(outcomes).toEqual(['begun', 'taken', 'taken']);
    const inner = live.frames.filter(({ note }) => note.startsWith('bbbb>aaaa sealed'));
    expect(opened).toEqual(inner.map((one) => one.inner));
    expect(session.canSeal()).toBe(true);
  });

  test('its nacks are understood, with the name of a handshake and without', () => {
    const { encrypted_control: said } = vectors;
    const named = decode(encryptedControl, fromHex(said.nack_epoch));
    expect(named).toMatchObject({ kind: controlKinds.nack });
    expect(Buffer.from(named.epochId ?? '', 'latin1').toString('hex')).toBe(said.epoch_id);
    const unnamed = decode(encryptedControl, fromHex(said.nack_no_epoch));
    expect(unnamed).toMatchObject({ kind: controlKinds.nack, epochId: undefined });
  });
});

describe('change and trouble', () => {
  test('a newer handshake takes over, and what the one before sealed is still opened', async () => {
    const session = openSession();
    const first = await shakeHands(session, 1);
    const second = await meet(session, 2);
    await second.talkUntil(() => second.proof() !== undefined, 0);
    // While the new one is under way, the key that is there goes on.
    expect(first.cipher().open(seal(session))).toEqual(frame);
    second.prove(0);
    expect(session.open(first.cipher().seal(frame), 0)).toEqual(frame);
    expect(first.cipher().open(seal(session))).toEqual(frame);
    expect(session.open(second.cipher().seal(frame), 0)).toEqual(frame);
    expect(second.cipher().open(seal(session))).toEqual(frame);
  });

  test('an older handshake, and one that is over already, change nothing', async () => {
    const session = openSession();
    const first = await shakeHands(session, 1);
    const second = await shakeHands(session, 2);
    for (const said of [...first.sent, ...second.sent]) session.take(said, 0);
    first.prove(0);
    expect(session.counters()).toMatchObject({ handshakes: 2, proven: 2, failed: {} });
    expect(second.cipher().open(seal(session))).toEqual(frame);
  });

  test('what belongs to a handshake that has not begun here waits for its beginning', async () => {
    const session = openSession();
    expect(session.take(control(controlKinds.proof, Buffer.alloc(64), toEpochId(3)), 0)).toBe(
      'waits',
    );
    expect(session.take(control(controlKinds.handshake, Buffer.from([20]), toEpochId(3)), 0)).toBe(
      'waits',
    );
  });

  test('a nack without a name stops sealing until the consumer shows its key again', async () => {
    const session = openSession();
    const peer = await shakeHands(session, 1);
    session.take(nack(peer.epochId), 0);
    expect(session.canSeal()).toBe(true);
    session.take(nack(), 0);
    expect(session.canSeal()).toBe(false);
    // Acks of what went before say nothing of what the consumer knows now.
    session.acked(peer.proof() ?? Buffer.alloc(0));
    expect(session.canSeal()).toBe(false);
    expect(session.open(peer.cipher().seal(frame), 0)).toEqual(frame);
    expect(session.canSeal()).toBe(true);
    // A second one within five seconds is not believed: it may be forged.
    session.take(nack(), sealedLimits.renewEveryMs - 1);
    expect(session.canSeal()).toBe(true);
    session.take(nack(), sealedLimits.renewEveryMs);
    expect(session.canSeal()).toBe(false);
  });

  test('a frame that no key opens is answered by one nack a second, which names ours', async () => {
    const session = openSession();
    const unknown = createFrameCipher(randomBytes(32), randomBytes);
    const nacks = (now: number) => {
      expect(session.open(unknown.seal(frame), now)).toBeUndefined();
      return session.step(now).filter(({ kind }) => kind === controlKinds.nack);
    };
    expect(nacks(0)).toMatchObject([{ epochId: undefined, role: 2 }]);
    expect(nacks(999)).toEqual([]);
    const peer = await shakeHands(session, 1, 2000);
    expect(nacks(3000)).toMatchObject([{ epochId: peer.epochId }]);
    expect(session.counters().unopened).toBe(3);
  });

  test('after so many frames of one key, the consumer is asked for another one', async () => {
    const session = openSession({ framesOfKey: 3 });
    await shakeHands(session, 1);
    const asks = (now: number) =>
      session.step(now).filter(({ kind, epochId }) => kind === 3 && epochId === undefined);
    seal(session);
    seal(session);
    expect(asks(0)).toEqual([]);
    seal(session);
    expect(asks(0)).toHaveLength(1);
    expect(session.wakeAt()).toBe(sealedLimits.renewEveryMs);
    expect(asks(sealedLimits.renewEveryMs)).toHaveLength(1);
    for (let more = 0; more < 3; more++) seal(session);
    // It has not come, and the key is used up.
    expect(session.seal(frame)).toBeUndefined();
    const next = await shakeHands(session, 2, 20_000);
    expect(next.cipher().open(seal(session))).toEqual(frame);
    expect(asks(40_000)).toEqual([]);
  });
});

describe('hostile peers', () => {
  test('another one’s proof, and one of another length, end the handshake', async () => {
    for (const [proof, why] of [
      [Buffer.alloc(64, 1), 'of another key'],
      [Buffer.alloc(63), 'too short'],
    ] as const) {
      const session = openSession();
      const peer = await meet(session, 1);
      await peer.talkUntil(() => peer.proof() !== undefined, 0);
      session.setPeerKey(consumer.publicKey);
      session.take(control(controlKinds.proof, proof, peer.epochId), 0);
      expect(session.counters().failed, why).toEqual({ proof: 1 });
      expect(session.open(peer.cipher().seal(frame), 0)).toBeUndefined();
    }
  });

  test.each([
    ['tls', 'garbage in place of the second flight', {}],
    ['tls', 'another protocol', { protocol: 'h2' }],
    ['certificate', 'no certificate', { hasCertificate: false }],
  ] as const)('%s: %s ends the handshake', async (why, _name, how) => {
    const session = openSession();
    const peer = await meet(session, 1, how);
    const isGarbage = why === 'tls' && !('protocol' in how);
    if (isGarbage) {
      await peer.talkUntil(() => peer.heard.length > 1, 0);
      session.take(control(controlKinds.handshake, Buffer.alloc(300, 23), peer.epochId), 0);
    }
    for (let turns = 0; session.counters().failed[why] === undefined && turns < 200; turns++) {
      if (!isGarbage) peer.talk(0);
      await turn();
    }
    expect(session.counters().failed).toEqual({ [why]: 1 });
  });

  test('a handshake that is not ended is given up after 15 s', async () => {
    const session = openSession();
    const peer = await meet(session, 1);
    await peer.talkUntil(() => peer.heard.length > 1, 0);
    expect(session.wakeAt()).toBe(sealedLimits.halfOpenMs);
    session.step(sealedLimits.halfOpenMs);
    expect(session.counters().failed).toEqual({ 'half-open': 1 });
    expect(session.wakeAt()).toBe(Number.POSITIVE_INFINITY);
  });

  test('no handshake takes more than 16 KiB, and no control more than 8', async () => {
    const session = openSession();
    const peer = await meet(session, 1);
    await peer.talkUntil(() => peer.heard.length > 1, 0);
    const long = Buffer.alloc(sealedLimits.controlBytes + 1, 22);
    session.take(control(controlKinds.handshake, long, peer.epochId), 0);
    expect(session.counters().ignored).toBe(1);
    // A record of TLS that says it is the longest one: nothing is read before its end.
    const part = Buffer.alloc(5000);
    part.set([20, 3, 3, 0x40, 0]);
    for (let sent = 0; sent < 4; sent++)
      session.take(control(controlKinds.handshake, part, peer.epochId), 0);
    expect(session.counters().failed).toEqual({ oversized: 1 });
  });

  test('only twelve handshakes of a session begin in a minute', async () => {
    const pool = createHandshakePool(sealedLimits.handshakes);
    const session = openSession({ pool });
    const peer = await meet(session, 1);
    await peer.talkUntil(() => peer.sent.length > 0, 0);
    const [hello] = peer.sent;
    for (let number = 2; number < 300; number++)
      session.take({ ...(hello ?? nack()), epochId: toEpochId(number) }, 0);
    expect(session.counters().handshakes).toBe(sealedLimits.epochsPerMinute);
    // Each new one takes the place of the one before, so one waits.
    expect(pool.count()).toBe(1);
    session.take({ ...(hello ?? nack()), epochId: toEpochId(300) }, 60_000);
    expect(session.counters().handshakes).toBe(sealedLimits.epochsPerMinute + 1);
    session.end();
    expect(pool.count()).toBe(0);
  });

  test('whatever a peer sends, at most 64 controls of ours wait', () => {
    const session = openSession();
    for (let now = 0; now < 200; now++)
      session.open(Buffer.alloc(100), now * sealedLimits.nackEveryMs);
    expect(session.step(200_000)).toHaveLength(sealedLimits.queuedControls);
  });

  test('controls of another session, or of our own role, are not taken', () => {
    const session = openSession();
    for (const strange of [{ role: 2 }, { role: 0 }, { isCompanion: true }, { kind: 9 }])
      expect(session.take({ ...nack(), ...strange }, 0)).toBe('taken');
    expect(session.counters().ignored).toBe(4);
  });
});
