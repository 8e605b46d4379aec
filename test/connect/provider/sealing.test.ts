import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isPlainData } from '../../../src/connect/provider/controls.ts';
import { createSealing } from '../../../src/connect/provider/sealing.ts';
import { unseal } from '../../../src/connect/provider/unseal.ts';
import { createClosedPart } from '../../../src/connect/sealed/closed-part.ts';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import type { SealedPart } from '../../../src/connect/sealed/sealed-part.ts';
import type { SealedSession } from '../../../src/connect/sealed/session.ts';
import {
  controlKinds,
  type EncryptedControl,
  encryptedControl,
} from '../../../src/connect/wire/encrypted-control.ts';
import { type Frame, noBytes, toFrame } from '../../../src/connect/wire/frame.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { fromProviderFrame } from '../../../src/connect/wire/ip-frames.ts';
import { encode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { control, nack, toEpochId } from '../sealed/session-world.ts';
import { testIds } from '../support/contracts.ts';

const ids = testIds();
const sequenceId = ids.next(1);
/** As much of a record as says that it is a client's first. */
const hello = Buffer.from([22, 3, 1, 0, 1, 1]);

const packOf = (
  sequenceNumber: number,
  frames: readonly Frame[],
  how: Partial<Pack> = {},
): Pack => ({
  messageId: ids.next(1),
  sequenceId,
  sequenceNumber,
  isHead: false,
  wantsNoAck: false,
  frames,
  contract: undefined,
  tag: undefined,
  contractId: undefined,
  lane: { forceStream: false, isCompanion: false, number: 0 },
  ...how,
});
const toControlFrame = (said: EncryptedControl): Frame =>
  toFrame(messageTypes.encryptedControl, encode(encryptedControl, said));
const packOfControl = (sequenceNumber: number, said: EncryptedControl, how: Partial<Pack> = {}) =>
  packOf(sequenceNumber, [toControlFrame(said)], how);
const proof = (epochId: Id | undefined) =>
  control(controlKinds.proof, Buffer.alloc(64, 7), epochId);

/** The part between a consumer's Packs and its session, which says what it was given. */
function openSealing(
  answer: (said: EncryptedControl) => 'taken' | 'begun' | 'waits',
  how: Partial<SealedSession> = {},
) {
  const taken: EncryptedControl[] = [];
  const session: SealedSession = {
    take(said) {
      taken.push(said);
      return answer(said);
    },
    setPeerKey: () => undefined,
    acked: () => undefined,
    open: () => undefined,
    canOpen: () => false,
    canSeal: () => false,
    seal: () => undefined,
    doubt: () => undefined,
    step: () => [],
    wakeAt: () => Number.POSITIVE_INFINITY,
    end: () => undefined,
    counters: () => {
      throw new Error('nobody asks');
    },
    ...how,
  };
  const part: SealedPart = {
    takesOffers: true,
    isRequired: false,
    workMs: () => 0,
    scratch: Buffer.alloc(5000),
    open: () => session,
  };
  const drops = { unreadable: 0 };
  const none = () => undefined;
  const sealing = createSealing({ part, drops, onNews: none, onBegun: none });
  return { sealing, taken, drops };
}

const openTaking = () => openSealing(() => 'taken');
/** With a handshake that has begun. */
function openBegun() {
  const made = openTaking();
  const first = packOfControl(0, control(controlKinds.handshake, hello, toEpochId(1)));
  made.sealing.arrived(first, 0);
  made.sealing.delivered(first, 0);
  expect(made.taken.splice(0)).toHaveLength(1);
  return made;
}

describe('a control that lies behind a gap', () => {
  test('is acted on when it arrives, and not again when its turn comes', () => {
    const { sealing, taken } = openTaking();
    const behind = packOfControl(5, control(controlKinds.handshake, hello, toEpochId(1)));
    sealing.arrived(behind, 0);
    expect(taken).toHaveLength(1);
    // It is sent again, and only then what was missing comes.
    sealing.arrived(behind, 0);
    sealing.delivered(behind, 0);
    expect(taken).toHaveLength(1);
  });

  test('waits for its turn where it is of a handshake without a name', () => {
    const { sealing, taken } = openBegun();
    const flight = control(controlKinds.handshake, Buffer.from([20, 3, 3, 0, 1, 1]), undefined);
    const late = [packOfControl(5, flight), packOfControl(6, proof(undefined))];
    for (const pack of late) sealing.arrived(pack, 0);
    expect(taken).toEqual([]);
    for (const pack of late) sealing.delivered(pack, 0);
    expect(taken).toMatchObject([{ kind: controlKinds.handshake }, { kind: controlKinds.proof }]);
  });

  test('does not wait where it begins one, or says that nothing can be read', () => {
    const { sealing, taken } = openBegun();
    sealing.arrived(packOfControl(5, control(controlKinds.handshake, hello, undefined)), 0);
    sealing.arrived(packOfControl(6, nack()), 0);
    expect(taken).toMatchObject([{ kind: controlKinds.handshake }, { kind: controlKinds.nack }]);
  });

  test('is still acted on after many whose turn never came; the oldest of them is forgotten', () => {
    const { sealing, taken } = openBegun();
    const most = sealedLimits.earlyControls;
    const packs = Array.from({ length: most + 1 }, (_, at) =>
      packOfControl(10 + at, proof(toEpochId(1))),
    );
    for (const pack of packs) sealing.arrived(pack, 0);
    expect(taken).toHaveLength(most + 1);
    for (const pack of packs.slice(1)) sealing.delivered(pack, 0);
    expect(taken).toHaveLength(most + 1);
    sealing.delivered(packs[0] ?? packOf(0, []), 0);
    expect(taken).toHaveLength(most + 2);
  });
});

describe('controls of handshakes that have not begun here', () => {
  test('are given again when one begins, and at most eight wait', () => {
    let hasBegun = false;
    const { sealing, taken } = openSealing(({ kind }) => {
      if (kind === controlKinds.handshake && !hasBegun) {
        hasBegun = true;
        return 'taken';
      }
      return kind === controlKinds.handshake ? 'begun' : 'waits';
    });
    const begin = (number: number, epoch: number) => {
      const said = control(controlKinds.handshake, hello, toEpochId(epoch));
      sealing.arrived(packOfControl(number, said), 0);
    };
    begin(0, 1);
    for (let number = 1; number <= 100; number++)
      sealing.arrived(packOfControl(number, proof(toEpochId(1000 + number))), 0);
    taken.length = 0;
    begin(200, 2);
    const again = taken.slice(1).map(({ epochId }) => epochId);
    expect(again).toEqual(
      [...Array(sealedLimits.waitingControls).keys()].map((at) => toEpochId(1001 + at)),
    );
  });

  test('wait in eight kilobytes, however long they are', () => {
    const { sealing, taken } = openSealing(({ kind, epochId }) =>
      kind === controlKinds.handshake && epochId === toEpochId(2) ? 'begun' : 'waits',
    );
    sealing.arrived(packOfControl(0, control(controlKinds.handshake, hello, toEpochId(1))), 0);
    for (let number = 1; number <= 8; number++) {
      const long = control(controlKinds.proof, Buffer.alloc(3000), toEpochId(1000 + number));
      sealing.arrived(packOfControl(number, long), 0);
    }
    taken.length = 0;
    sealing.arrived(packOfControl(20, control(controlKinds.handshake, hello, toEpochId(2))), 0);
    expect(taken.filter(({ kind }) => kind === controlKinds.proof)).toHaveLength(2);
  });
});

describe('hostile', () => {
  test('a control that came sealed is nothing, before its turn and in it', () => {
    const { sealing, taken } = openBegun();
    const sealed = packOfControl(1, proof(toEpochId(1)), { cameSealed: true });
    sealing.arrived(sealed, 0);
    sealing.delivered(sealed, 0);
    expect(taken).toEqual([]);
  });

  test('what is no control, or too long for one, is nothing, and counted once', () => {
    const { sealing, taken, drops } = openBegun();
    const long = control(
      controlKinds.proof,
      Buffer.alloc(3 * sealedLimits.controlBytes),
      toEpochId(1),
    );
    const garbage = toFrame(messageTypes.encryptedControl, Buffer.from('ff'.repeat(40), 'hex'));
    for (const pack of [packOfControl(1, long), packOf(2, [garbage])]) {
      sealing.arrived(pack, 0);
      sealing.delivered(pack, 0);
    }
    expect(taken).toEqual([]);
    expect(drops.unreadable).toBe(2);
  });

  test('a consumer that never begins a handshake costs no session', () => {
    let opened = 0;
    const part: SealedPart = {
      takesOffers: true,
      workMs: () => 0,
      scratch: Buffer.alloc(5000),
      isRequired: false,
      open() {
        opened++;
        throw new Error('nothing was offered');
      },
    };
    const none = () => undefined;
    const drops = { unreadable: 0 };
    const sealing = createSealing({ part, drops, onNews: none, onBegun: none });
    const said = [
      proof(toEpochId(1)),
      nack(),
      control(controlKinds.handshake, hello, toEpochId(1)),
    ];
    const strange = said.map((one, at) =>
      packOfControl(at, at === 2 ? { ...one, isCompanion: true } : one),
    );
    for (const pack of strange) {
      sealing.arrived(pack, 0);
      sealing.delivered(pack, 0);
    }
    expect(opened).toBe(0);
    expect(sealing.say(0)).toEqual([]);
    expect(sealing.wakeAt()).toBe(Number.POSITIVE_INFINITY);
  });
});

test('what cannot be said is waited for no longer', () => {
  const part = createClosedPart();
  const of = { part, onNews: () => undefined, onBegun: () => undefined };
  const sealing = createSealing({ ...of, drops: { unreadable: 0 } });
  const isNeeded = (canSay: boolean) => sealing.isNeeded({ silentMs: 0, canSay });
  expect(isNeeded(true)).toBe(false);
  const bytes = Buffer.alloc(100);
  sealing.open({ kind: 'sealed', bytes, role: 1, isCompanion: false }, 1);
  expect([isNeeded(true), isNeeded(false)]).toEqual([true, false]);
});

test.each([
  ['a packet', [15], true],
  ['a packet beside a control', [messageTypes.encryptedControl, 15], true],
  ['a control', [messageTypes.encryptedControl], false],
  ['a contract alone', [], false],
])('%s in plaintext is data: %s', (_name, types, isData) => {
  const frames = types.map((type) => ({ type, bytes: Buffer.alloc(0), isRaw: false }));
  expect(isPlainData(packOf(1, frames))).toBe(isData);
  expect(isPlainData(packOf(1, frames, { cameSealed: true }))).toBe(false);
});

test('a message that was sealed stays as it is when the next one is sealed', () => {
  const cipher = createFrameCipher(randomBytes(32), randomBytes);
  const { sealing } = openSealing(() => 'begun', { canSeal: () => true, seal: cipher.seal });
  sealing.arrived(packOfControl(0, control(controlKinds.handshake, hello, toEpochId(1))), 0);
  const path = { sourceId: ids.next(1), destinationId: ids.next(1), streamId: undefined };
  const numbers = [1, 2, 3];
  const seal = (number: number): Buffer => {
    const frame = { ...fromProviderFrame(Buffer.alloc(1000 * number, number)) };
    return sealing.encodePack(path, packOf(number, [frame])) ?? noBytes;
  };
  const opened = numbers
    .map(seal)
    .map((message) => unseal(message, (_, { bytes }) => cipher.open(bytes)));
  const read = opened.map(({ body }) => (body.kind === 'pack' ? body.pack : undefined));
  expect(read.map((pack) => pack?.sequenceNumber)).toEqual(numbers);
  expect(read.map((pack) => pack?.frames[0]?.bytes.length)).toEqual([1000, 2000, 3000]);
  expect(
    read.map((pack) => pack?.frames[0]?.bytes.every((byte) => byte === pack.sequenceNumber)),
  ).toEqual([true, true, true]);
});
