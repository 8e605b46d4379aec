import { expect, test } from 'vitest';
import type { Books } from '../../../src/connect/contract/account.ts';
import { address, makePacket } from '../support/packets.ts';
import { createWorld, type World } from '../support/world.ts';

/** Some fifteen of the packets below: contracts change all the while. */
const contractBytes = 8192;

function toPacket(number: number): Buffer {
  const payload = Buffer.alloc(400);
  payload.writeUInt32BE(number);
  const to = { source: address(4, 9), destination: address(4, 2) };
  return makePacket({ version: 4, protocol: 17, payload, ...to });
}

/** What happens to a provider under a consumer that sends, at one moment. */
const breaks = {
  'a pause': (world: World) => {
    world.engine.setWish('none');
    world.run(1000);
    world.engine.setWish('public');
  },
  'an end, and another engine with its books': (world: World) => {
    world.report(world.engine.end(world.now()));
    world.replaceEngine(JSON.parse(JSON.stringify(world.engine.save())) as Books);
  },
};

test.each(Object.entries(breaks))(
  'after %s, whenever it comes, a consumer that sends goes on at once: each packet once, and counted once',
  (_name, happens) => {
    for (let at = 0; at < 45; at += 1) {
      const seen: number[] = [];
      const world = createWorld({
        nature: { loss: 0, duplication: 0, delay: 20, jitter: 0 },
        seed: at,
        device(packet) {
          seen.push(packet.readUInt32BE(28));
          return [];
        },
      });
      const consumer = world.addConsumer(contractBytes);
      let sent = 0;
      const send = (ms: number) =>
        world.run(ms, () => {
          if (world.now() % 3 === 0) consumer.send(toPacket(sent++), world.now());
        });
      send(500 + at);
      happens(world);
      // Nothing new comes, which could bring another contract.
      world.run(3000);
      expect({ at, came: seen.length }).toEqual({ at, came: sent });
      send(300);
      world.run(1000);
      expect({ at, seen }).toEqual({
        at,
        seen: Array.from({ length: sent }, (_, number) => number),
      });
      world.report(world.engine.end(world.now()));
      for (const [contractId, bytes] of consumer.sent)
        expect(world.reported.get(contractId)).toBe(bytes);
    }
  },
);
