import { randomBytes } from 'node:crypto';
import { createFrameCipher, type FrameCipher } from '../../../src/connect/sealed/frames.ts';
import { loadIdentity, makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { controlKinds, encryptedControl } from '../../../src/connect/wire/encrypted-control.ts';
import { toFrame } from '../../../src/connect/wire/frame.ts';
import { type Id, toId } from '../../../src/connect/wire/id.ts';
import { decode, encode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import {
  decodeTransferFrame,
  encodeSealedFrame,
} from '../../../src/connect/wire/transfer-frame.ts';
import { createTlsClient, type TlsClient } from '../sealed/tls-client.ts';
import type { TestConsumer } from './test-consumer.ts';
import type { World } from './world.ts';

const consumerData = makeIdentity(randomBytes);
const consumerIdentity = loadIdentity(consumerData);
export const consumerKey = consumerIdentity.publicKey;

/** A consumer that offers to seal; where it does not require it, it sends in plaintext before. */
export interface SealedConsumer {
  readonly consumer: TestConsumer;
  /** Begins a handshake. */
  offer(now: number): void;
  /** What its TLS has written goes out; call it between turns of the event loop. */
  turn(now: number): void;
  /** How often it has begun one, and the group of the last. */
  handshakes(): number;
  group(): string | undefined;
  /** It has the provider's proof, and seals from now on. */
  isSealing(): boolean;
  /** The provider’s frames that came sealed, and its packets and acks that did not. */
  readonly count: { sealed: number; plainPackets: number; nacks: number };
  /** Says that it cannot read what is sealed. */
  sayNack(now: number): void;
  /** It has lost its keys, as by a restart. */
  forget(): void;
}

export function addSealedConsumer(
  world: World,
  how: {
    readonly isRequired?: boolean;
    readonly groups?: string;
    /**
     * It begins again where the provider asks for that, as the network’s own does: its key is gone
     * then, and it says so where something is sealed by it.
     */
    readonly obeys?: boolean;
  } = {},
): SealedConsumer {
  let client: TlsClient | undefined;
  let epochId: Id | undefined;
  let epochs = 0;
  let cipher: FrameCipher | undefined;
  let isProven = false;
  let isAsked = false;
  let hasProven = false;
  let nackAt = Number.NEGATIVE_INFINITY;
  const count = { sealed: 0, plainPackets: 0, nacks: 0 };
  const say = (kind: number, payload: Buffer, now: number): void => {
    // A nack names the handshake whose key this end has; here it has lost all of them.
    const named = kind === controlKinds.nack ? undefined : epochId;
    const control = { kind, payload, role: 1, isCompanion: false, epochId: named };
    consumer
      .sender()
      .offer(toFrame(messageTypes.encryptedControl, encode(encryptedControl, control)), now);
  };
  const consumer = world.addConsumer(undefined, (bytes) => {
    const control = decode(encryptedControl, bytes);
    if (control.role === 2 && control.kind === controlKinds.nack && control.epochId === undefined) {
      count.nacks++;
      isAsked = true;
    }
    if (control.role !== 2 || control.epochId !== epochId) return;
    if (control.kind === controlKinds.handshake) client?.feed(control.payload);
    if (control.kind === controlKinds.proof) isProven = true;
  });
  const { frame, step } = consumer;
  const mayGoPlain = (bytes: Buffer): boolean => {
    const { body } = decodeTransferFrame(bytes);
    if (body.kind !== 'pack' || body.pack.frames.length === 0) return true;
    return body.pack.frames.some(({ type }) => type === messageTypes.encryptedControl);
  };
  const isControl = (bytes: Buffer): boolean => {
    const { body } = decodeTransferFrame(bytes);
    return (
      body.kind === 'pack' &&
      body.pack.frames.some(({ type }) => type === messageTypes.encryptedControl)
    );
  };
  const sayUnread = (now: number): void => {
    if (how.obeys !== true || isProven || now < nackAt) return;
    nackAt = now + 1000;
    say(controlKinds.nack, Buffer.alloc(0), now);
  };
  consumer.frame = (bytes, now) => {
    const { path, body } = decodeTransferFrame(bytes);
    if (path.destinationId !== consumer.id) return;
    if (body.kind !== 'sealed') {
      const frames = body.kind === 'pack' ? body.pack.frames : [];
      if (frames.some(({ type }) => type < 20)) count.plainPackets++;
      frame(bytes, now);
      return;
    }
    const inner = cipher?.open(body.bytes);
    if (inner === undefined) {
      sayUnread(now);
      return;
    }
    count.sealed++;
    frame(inner, now);
  };
  consumer.step = (now) =>
    step(now).flatMap((bytes) => {
      const { path } = decodeTransferFrame(bytes);
      if (isProven && cipher !== undefined && !isControl(bytes))
        return [
          encodeSealedFrame(path, { bytes: cipher.seal(bytes), role: 1, isCompanion: false }),
        ];
      return how.isRequired === true && !mayGoPlain(bytes) ? [] : [bytes];
    });
  const offer = (): void => {
    isAsked = false;
    epochs++;
    const id = Buffer.alloc(16);
    id.writeUInt32BE(epochs);
    epochId = toId(id);
    client?.end();
    client = createTlsClient(consumerData, how.groups === undefined ? {} : { groups: how.groups });
    [isProven, hasProven] = [false, false];
  };
  return {
    consumer,
    count,
    offer,
    handshakes: () => epochs,
    group: () => client?.group(),
    turn(now) {
      if (isAsked && how.obeys === true) {
        cipher = undefined;
        offer();
      }
      const bytes = client?.take() ?? Buffer.alloc(0);
      if (bytes.length > 0) say(controlKinds.handshake, bytes, now);
      const secrets = client?.secrets();
      if (secrets === undefined || hasProven) return;
      hasProven = true;
      cipher = createFrameCipher(secrets.frameKey, randomBytes);
      say(controlKinds.proof, consumerIdentity.sign(secrets.toProve), now);
    },
    sayNack: (now) => say(controlKinds.nack, Buffer.alloc(0), now),
    isSealing: () => isProven && cipher !== undefined,
    forget() {
      cipher = undefined;
      isProven = false;
    },
  };
}
