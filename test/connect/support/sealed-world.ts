import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { createSealedPart } from '../../../src/connect/sealed/sealed-part.ts';
import { sessionRoles } from '../../../src/connect/wire/encrypted-control.ts';
import { encodeSealedFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { echo } from './echo.ts';
import { makePacket } from './packets.ts';
import { addSealedConsumer, consumerKey, type SealedConsumer } from './sealed-consumer.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

export const calm = { loss: 0, duplication: 0, delay: 5, jitter: 0 };
export const bad = { loss: 0.01, duplication: 0.01, delay: 5, jitter: 10 };

export const packetOf = (number: number): Buffer => {
  const payload = Buffer.alloc(400);
  payload.writeUInt32BE(number);
  return makePacket({ version: 4, protocol: 17, payload });
};
/** Of packets that came back. */
export const numbersOf = (packets: readonly Buffer[]): readonly number[] =>
  packets.map((packet) => packet.readUInt32BE(28));

/** A provider that seals, and gives every packet back. */
export function openSealedWorld(how: Partial<WorldOptions> = {}): World {
  return createWorld({
    nature: calm,
    seed: 1,
    device: echo,
    sealedPart: createSealedPart(makeIdentity(randomBytes), randomBytes),
    consumerKey,
    ...how,
  });
}

/** So many messages come, each of another client, that no key opens. */
export function sendOfStrangers(world: World, count: number): void {
  const cipher = createFrameCipher(randomBytes(32), randomBytes);
  for (let sent = 0; sent < count; sent++) {
    const sourceId = world.ids.next(world.now());
    const path = { sourceId, destinationId: world.providerId, streamId: undefined };
    const bytes = cipher.seal(Buffer.alloc(200));
    world.deliver(
      encodeSealedFrame(path, { bytes, role: sessionRoles.client, isCompanion: false }),
    );
  }
}

/** A consumer that has had one packet answered, sealed. */
export async function openSealed(
  how: { readonly isRequired: boolean; readonly nature?: typeof calm } = { isRequired: true },
): Promise<{ readonly world: World; readonly peer: SealedConsumer }> {
  const world = openSealedWorld({ nature: how.nature ?? calm });
  const peer = addSealedConsumer(world, { ...how, obeys: true });
  peer.offer(world.now());
  await runUntil(world, [peer], peer.isSealing);
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  return { world, peer };
}

/** Time passes, and the event loop turns, by which TLS goes on. */
export async function runUntil(
  world: World,
  consumers: readonly SealedConsumer[],
  isSo: () => boolean,
): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    if (turns > 20_000) throw new Error('nothing more happened');
    for (const one of consumers) one.turn(world.now());
    world.run(2);
    await turn();
  }
}
