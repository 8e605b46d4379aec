import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import { createHandshakePool, type HandshakePool } from '../../../src/connect/sealed/handshake.ts';
import {
  hasSigned,
  type Identity,
  loadIdentity,
  makeIdentity,
} from '../../../src/connect/sealed/identity.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import {
  createSealedSession,
  type SealedSession,
  type SealedSessionOptions,
} from '../../../src/connect/sealed/session.ts';
import { createTlsServer } from '../../../src/connect/sealed/tls-server.ts';
import {
  controlKinds,
  type EncryptedControl,
  sessionRoles,
} from '../../../src/connect/wire/encrypted-control.ts';
import { type Id, toId } from '../../../src/connect/wire/id.ts';
import { createTlsClient } from './tls-client.ts';

/** Made once for all tests, of which none changes them. */
const providerData = makeIdentity(randomBytes);
const consumerData = makeIdentity(randomBytes);
const provider: Identity = loadIdentity(providerData);
export const consumer: Identity = loadIdentity(consumerData);

/** A name of a handshake; a larger number is a newer one. */
export function toEpochId(number: number): Id {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(number);
  return toId(bytes);
}

export const control = (
  kind: number,
  payload: Buffer,
  epochId: Id | undefined,
): EncryptedControl => ({ kind, payload, role: sessionRoles.client, isCompanion: false, epochId });

export const nack = (epochId?: Id): EncryptedControl =>
  control(controlKinds.nack, Buffer.alloc(0), epochId);

const openHandshake = createTlsServer(providerData);

export function openSession(
  how: Partial<SealedSessionOptions> & { readonly pool?: HandshakePool } = {},
): SealedSession {
  return createSealedSession({
    identity: provider,
    openHandshake,
    pool: createHandshakePool(sealedLimits.handshakes),
    randomBytes,
    isCompanion: false,
    onNews: () => undefined,
    ...how,
  });
}

/** A consumer in one handshake with a session of ours. */
export async function meet(
  session: SealedSession,
  number: number,
  how: Parameters<typeof createTlsClient>[1] = {},
) {
  const client = createTlsClient(consumerData, how);
  const epochId = toEpochId(number);
  const heard: EncryptedControl[] = [];
  const sent: EncryptedControl[] = [];
  let proof: Buffer | undefined;
  /** Everything that was under way arrives. */
  const talk = (now: number): void => {
    for (const said of session.step(now)) {
      heard.push(said);
      if (said.kind === controlKinds.handshake) client.feed(said.payload);
      if (said.kind === controlKinds.proof) proof = said.payload;
    }
    const bytes = client.take();
    if (bytes.length === 0) return;
    const one = control(controlKinds.handshake, bytes, epochId);
    sent.push(one);
    session.take(one, now);
  };
  /** Turns of the event loop until it is so; a handshake takes a few dozen. */
  const talkUntil = async (isSo: () => boolean, now: number): Promise<void> => {
    for (let turns = 0; !isSo(); turns++) {
      if (turns > 2000) throw new Error('nothing more happened');
      talk(now);
      await turn();
    }
  };
  const secrets = () => {
    const made = client.secrets();
    if (made === undefined) throw new Error('the handshake is not over');
    return made;
  };
  return {
    epochId,
    heard,
    sent,
    client,
    talk,
    talkUntil,
    secrets,
    proof: () => proof,
    hasProof: () =>
      proof !== undefined &&
      hasSigned(provider.publicKey, { bytes: secrets().toProve, signature: proof }),
    /** The consumer's own proof. */
    prove: (now: number) =>
      session.take(control(controlKinds.proof, consumer.sign(secrets().toProve), epochId), now),
    cipher: () => createFrameCipher(secrets().frameKey, randomBytes),
  };
}

/** All of it: both have proven who they are, and the consumer has sealed a frame. */
export async function shakeHands(session: SealedSession, number: number, now = 0) {
  const peer = await meet(session, number);
  await peer.talkUntil(() => peer.proof() !== undefined, now);
  session.setPeerKey(consumer.publicKey);
  peer.prove(now);
  const frame = Buffer.from(`the first of ${String(number)}`);
  if (session.open(peer.cipher().seal(frame), now)?.equals(frame) !== true)
    throw new Error('the first sealed frame was not opened');
  return peer;
}
