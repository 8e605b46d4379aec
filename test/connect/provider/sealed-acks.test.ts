import { expect, test } from 'vitest';
import { controlKinds, encryptedControl } from '../../../src/connect/wire/encrypted-control.ts';
import { noBytes, toFrame } from '../../../src/connect/wire/frame.ts';
import { encode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { decodeTransferFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { toEpochId } from '../sealed/session-world.ts';
import { addSealedConsumer } from '../support/sealed-consumer.ts';
import { openSealedWorld, packetOf, runUntil } from '../support/sealed-world.ts';

/**
 * A consumer that seals, whose packets nobody answers: what the provider sends it from now on are
 * acks, sealed or in plaintext.
 */
async function openAcked() {
  const acks: ('sealed' | 'plain')[] = [];
  /** Messages of the consumer that are lost. */
  let losing = 0;
  const world = openSealedWorld({
    device: () => [],
    relay(bytes, from) {
      const { kind } = decodeTransferFrame(bytes).body;
      if (from !== world.providerId) return kind === 'sealed' && losing-- > 0 ? [] : [bytes];
      if (kind !== 'pack') acks.push(kind === 'sealed' ? 'sealed' : 'plain');
      return [bytes];
    },
  });
  const peer = addSealedConsumer(world, { isRequired: true });
  const isAllAcked = () => {
    const { unackedBytes, queuedFrames } = peer.consumer.sender().counters();
    return unackedBytes + queuedFrames === 0;
  };
  const settle = () => runUntil(world, [peer], isAllAcked);
  peer.offer(world.now());
  await runUntil(world, [peer], peer.isSealing);
  world.run(1000);
  // By it the provider knows that its proof was read.
  peer.consumer.send(packetOf(0), world.now());
  await settle();
  acks.length = 0;
  return {
    send: (number: number) => peer.consumer.send(packetOf(number), world.now()),
    /** A control that changes nothing; it always goes in plaintext. */
    sayPlain() {
      const control = {
        kind: controlKinds.nack,
        payload: noBytes,
        role: 1,
        isCompanion: false,
        epochId: toEpochId(9),
      };
      const frame = toFrame(messageTypes.encryptedControl, encode(encryptedControl, control));
      peer.consumer.sender().offer(frame, world.now());
    },
    /** The next packet is lost once: it was on its way before what is said after it. */
    sendInVain(number: number) {
      losing = 1;
      peer.consumer.send(packetOf(number), world.now());
      world.run(1);
    },
    async takeAcks() {
      await settle();
      return acks.splice(0);
    },
  };
}

test('acks of what came sealed are sealed', async () => {
  const { send, takeAcks } = await openAcked();
  for (const number of [1, 2, 3]) {
    send(number);
    expect(await takeAcks()).toEqual(['sealed']);
  }
});

test('an ack that covers a Pack in plaintext goes in plaintext, and the next one is sealed again', async () => {
  const { send, sayPlain, takeAcks } = await openAcked();
  send(1);
  sayPlain();
  send(2);
  expect(await takeAcks()).toEqual(['plain']);
  send(3);
  expect(await takeAcks()).toEqual(['sealed']);
});

test('it does so where the Pack in plaintext had come early, and waited for a sealed one', async () => {
  const { send, sayPlain, sendInVain, takeAcks } = await openAcked();
  sendInVain(1);
  sayPlain();
  // The one that came early is acknowledged alone, then all together.
  expect(await takeAcks()).toEqual(['plain', 'plain']);
  send(2);
  expect(await takeAcks()).toEqual(['sealed']);
});
