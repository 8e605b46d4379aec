import { describe, expect, test } from 'vitest';
import { createLink, type Link, type LinkEffect } from '../../../src/connect/socket/link.ts';
import { createReconnect } from '../../../src/connect/socket/reconnect.ts';
import { encodeAckFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { testIds } from '../support/contracts.ts';

const ids = testIds();
const ownId = ids.next(1);
const half = () => 0.5;

function openLink(): Link {
  const link = createLink({ ownId, hosts: 2, random: half });
  expect(link.step(0)).toEqual([{ kind: 'dial', socket: 0, host: 0 }]);
  expect(link.opened(0, 10)).toEqual([]);
  return link;
}
const control = (first: number, id = 7) => Buffer.from([first, 0, 0, 0, id]);
const frame = encodeAckFrame(
  { sourceId: ids.next(2), destinationId: ownId, streamId: undefined },
  {
    messageId: ids.next(3),
    sequenceId: ids.next(4),
    isSelective: false,
    tag: undefined,
    missingContractId: undefined,
    recoversContracts: true,
    laneVersion: 1,
  },
);
const own = Buffer.alloc(40, 3);
const sent = (bytes: Buffer, socket = 0): LinkEffect => ({ kind: 'send', socket, bytes });

test('the length of a message says what it is', () => {
  const link = openLink();
  const probe = Buffer.alloc(16, 9);
  expect(link.received(0, Buffer.alloc(0), 20)).toEqual([]);
  expect(link.received(0, probe, 20)[0]).toEqual(sent(probe));
  expect(link.received(0, Buffer.alloc(7), 20)).toEqual([]);
  expect(link.received(0, frame, 20)).toEqual([{ kind: 'frame', bytes: frame }]);
});

test('between the echoes of a speed test nothing is sent but echoes', () => {
  const link = openLink();
  const chunk = Buffer.alloc(1024, 0xee);
  expect(link.received(0, control(1), 100)).toEqual([sent(control(1))]);
  expect(link.send(own, 110)).toEqual([]);
  let echoed = 0;
  for (let count = 0; count < 512; count++)
    for (const effect of link.received(0, chunk, 120))
      if (effect.kind === 'send') echoed += effect.bytes.length;
  expect(echoed).toBe(524_288);
  // A consumer's frame comes through meanwhile, and is no echo.
  expect(link.received(0, frame, 130)).toEqual([{ kind: 'frame', bytes: frame }]);
  expect(link.received(0, control(2), 140).slice(0, 2)).toEqual([sent(control(2)), sent(own)]);
  expect(link.send(own, 150)).toEqual([sent(own)]);
  // Outside of a test, a message of that length is a frame like any other.
  expect(link.received(0, chunk, 160)).toEqual([{ kind: 'frame', bytes: chunk }]);
});

test('a speed test whose end never comes holds nothing for more than three seconds', () => {
  const link = openLink();
  link.received(0, control(1), 100);
  link.send(own, 110);
  expect(link.wakeAt()).toBe(3100);
  expect(link.step(3099)).toEqual([]);
  expect(link.step(3100)).toEqual([sent(own)]);
  expect(link.send(own, 3101)).toEqual([sent(own)]);
});

/**
 * Runs on, while the platform pings by these sockets; what is done but pings and notes, and when.
 */
function listen(link: Link, sockets: readonly number[], from: number, until: number) {
  const done: (readonly [number, LinkEffect])[] = [];
  for (let now = from; now < until; now += 10) {
    if (now % 5000 === 0) for (const socket of sockets) link.received(socket, Buffer.alloc(0), now);
    for (const effect of link.step(now))
      if (effect.kind !== 'seen' && (effect.kind !== 'send' || effect.bytes.length > 0))
        done.push([now, effect]);
  }
  return done;
}

test('it pings every five seconds, and closes a socket that is silent for thirty', () => {
  const link = openLink();
  const pings: number[] = [];
  const ends: LinkEffect[] = [];
  for (let now = 10; now <= 30_100; now += 10)
    for (const effect of link.step(now)) {
      if (effect.kind === 'send') pings.push(now);
      else if (effect.kind === 'dial') link.closed(effect.socket, now);
      else ends.push(effect);
    }
  expect(pings).toEqual([5000, 10_000, 15_000, 20_000, 25_000, 30_000]);
  expect(ends).toEqual([{ kind: 'close', socket: 0 }]);
  expect(link.isOpen()).toBe(false);
});

test('a socket that is silent for twelve seconds is doubted: another is opened first, once a minute', () => {
  const link = openLink();
  expect(listen(link, [0], 10, 10_000)).toEqual([]);
  const silentSince = 5000;
  expect(listen(link, [], 10_000, 17_010)).toEqual([
    [silentSince + 12_000, { kind: 'dial', socket: 1, host: 0 }],
  ]);
  expect(link.send(own, 17_020)).toEqual([sent(own, 0)]);
  link.opened(1, 17_040);
  expect(link.send(own, 17_050)).toEqual([sent(own, 1)]);
  // The silent one was young: it is given up before the platform notes it.
  expect(listen(link, [1], 17_050, 40_000)).toEqual([[19_040, { kind: 'close', socket: 0 }]]);
  expect(listen(link, [], 40_000, 64_000)).toEqual([]);
});

test('a socket whose way has changed is doubted at once, and used until another one is open', () => {
  const link = openLink();
  expect(listen(link, [0], 10, 70_000)).toEqual([]);
  link.doubt(70_000);
  expect(link.wakeAt()).toBe(70_000);
  expect(listen(link, [0], 70_000, 70_010)).toEqual([
    [70_000, { kind: 'dial', socket: 1, host: 0 }],
  ]);
  expect(link.send(own, 70_020)).toEqual([sent(own, 0)]);
  link.opened(1, 70_050);
  expect(link.send(own, 70_060)).toEqual([sent(own, 1)]);
  // A way that changes again and again brings no two sockets that the platform notes in a minute.
  link.doubt(75_000);
  expect(listen(link, [0, 1], 75_000, 140_000)).toEqual([
    [110_050, { kind: 'close', socket: 0 }],
    [135_000, { kind: 'dial', socket: 2, host: 0 }],
  ]);
});

test('a way that has changed hurries a dial that is planned', () => {
  const link = openLink();
  link.closed(0, 20);
  expect(link.wakeAt()).toBeGreaterThan(30);
  link.doubt(30);
  expect(link.step(30)).toEqual([{ kind: 'dial', socket: 1, host: 0 }]);
});

test('a move opens a socket on another host, and both are read until the platform has noted the new one', () => {
  const link = openLink();
  link.move(70_000);
  expect(listen(link, [0], 10, 70_010)).toEqual([[70_000, { kind: 'dial', socket: 1, host: 1 }]]);
  expect(link.send(own, 70_010)).toEqual([sent(own, 0)]);
  link.opened(1, 70_050);
  expect(link.send(own, 70_060)).toEqual([sent(own, 1)]);
  for (const socket of [0, 1])
    expect(link.received(socket, frame, 70_070)).toEqual([{ kind: 'frame', bytes: frame }]);
  expect(listen(link, [0, 1], 70_070, 120_000)).toEqual([[110_050, { kind: 'close', socket: 0 }]]);
  expect(link.closed(0, 120_000)).toEqual([]);
  expect(link.isOpen()).toBe(true);
  // The old one ended as it should: nothing is dialled for it.
  expect(listen(link, [1], 120_000, 140_000)).toEqual([]);
});

test('a socket that is moved from while it is young is closed before the platform notes it', () => {
  const link = openLink();
  link.move(20_000);
  expect(listen(link, [0], 10, 20_010)).toEqual([[20_000, { kind: 'dial', socket: 1, host: 1 }]]);
  link.opened(1, 20_050);
  expect(listen(link, [0, 1], 20_060, 60_000)).toEqual([[22_050, { kind: 'close', socket: 0 }]]);
});

test('a move that comes when the socket is noted is made when another may be', () => {
  const link = openLink();
  link.move(40_000);
  expect(listen(link, [0], 10, 70_000)).toEqual([[65_010, { kind: 'dial', socket: 1, host: 1 }]]);
});

test('a move that fails is tried again, and what it left is used on', () => {
  const link = openLink();
  link.move(70_000);
  listen(link, [0], 10, 70_010);
  expect(link.closed(1, 70_100)).toEqual([]);
  expect(link.send(own, 70_200)).toEqual([sent(own, 0)]);
  expect(listen(link, [0], 70_200, 73_000)).toEqual([
    [70_100 + 2500, { kind: 'dial', socket: 2, host: 0 }],
  ]);
  link.opened(2, 73_000);
  // The new one dies before the old one was closed: the old one is kept.
  expect(link.closed(2, 73_100)).toEqual([]);
  expect(link.send(own, 73_200)).toEqual([sent(own, 0)]);
  expect(listen(link, [0], 73_200, 130_000)).toEqual([]);
  expect(link.closed(0, 130_000)).toEqual([]);
  expect(link.isOpen()).toBe(false);
  expect(link.step(140_000)).toMatchObject([{ kind: 'dial' }]);
});

test('a host that cannot be reached is left for the next, later and later', () => {
  const link = createLink({ ownId, hosts: 2, random: half });
  const dials: (readonly [number, number])[] = [];
  for (let now = 0; now < 200_000; now += 100)
    for (const effect of link.step(now))
      if (effect.kind === 'dial') {
        dials.push([now, effect.host]);
        link.closed(effect.socket, now);
      }
  expect(dials.slice(0, 5)).toEqual([
    [0, 0],
    [2500, 1],
    [5000, 0],
    [7500, 1],
    [17_500, 0],
  ]);
  expect(dials.at(-1)?.[0]).toBeLessThan(200_000);
  expect(dials.length).toBeLessThan(12);
});

test('what is sent without a socket is lost, and a dial that hangs ends', () => {
  const link = createLink({ ownId, hosts: 1, random: half });
  link.step(0);
  expect(link.send(own, 1)).toEqual([]);
  expect(link.step(14_999)).toEqual([]);
  expect(link.step(15_000)).toEqual([{ kind: 'close', socket: 0 }]);
  expect(link.opened(0, 15_001)).toEqual([{ kind: 'close', socket: 0 }]);
});

test('three sockets that are closed as soon as they open make the token suspect', () => {
  const link = createLink({ ownId, hosts: 1, random: () => 0 });
  const kinds: string[] = [];
  for (let round = 0; round < 3; round++) {
    const now = round * 100_000;
    const [dial] = link.step(now);
    if (dial?.kind !== 'dial') throw new Error('not dialled');
    link.opened(dial.socket, now);
    for (const { kind } of link.closed(dial.socket, now + 1)) kinds.push(kind);
  }
  expect(kinds).toEqual(['check-token']);
});

test('a socket that did its work is followed by another within a second', () => {
  const link = createLink({ ownId, hosts: 2, random: () => 1 });
  link.step(0);
  link.opened(0, 10);
  for (const livedMs of [10_000, 60_000, 3_600_000]) {
    const reconnect = createReconnect(() => 1);
    for (let count = 0; count < 10; count++) reconnect.closed(undefined);
    expect(reconnect.delay()).toBeGreaterThan(60_000);
    reconnect.closed(livedMs);
    expect(reconnect.delay()).toBe(1000);
  }
  link.closed(0, 20_010);
  expect(link.step(21_010)).toEqual([{ kind: 'dial', socket: 1, host: 0 }]);
});

test('sockets that open and die young are dialled later and later', () => {
  const reconnect = createReconnect(half);
  const delays = Array.from({ length: 8 }, () => {
    reconnect.closed(9000);
    return reconnect.delay();
  });
  expect(delays).toEqual([2500, 2500, 2500, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test('a platform that asks for a move each second brings one in sixty-five seconds', () => {
  const link = openLink();
  const dials: number[] = [];
  for (let now = 1000; now < 201_000; now += 1000) {
    link.move(now);
    for (const effect of link.step(now)) {
      if (effect.kind !== 'dial') continue;
      dials.push(now);
      link.opened(effect.socket, now);
    }
    for (let socket = 0; socket <= dials.length; socket++)
      link.received(socket, Buffer.alloc(0), now);
  }
  // Notes of the platform are then never in the same minute.
  expect(dials).toEqual([1000, 66_000, 131_000, 196_000]);
});

describe('what shows how the platform sees this device', () => {
  const chunk = Buffer.alloc(1024, 0xee);
  const sightings = (effects: readonly LinkEffect[]) =>
    effects.flatMap((effect) => (effect.kind === 'seen' ? [effect.sighting] : []));
  /** Feeds a test of so many messages that takes so long, and gives what was seen. */
  const runTest = (link: Link, { messages, ms }: { messages: number; ms: number }) => {
    link.received(0, control(1), 1000);
    for (let count = 0; count < messages; count++)
      link.received(0, chunk, 1000 + Math.floor((ms * count) / messages));
    link.step(1000 + ms);
    return sightings(link.received(0, control(2), 1000 + ms));
  };

  test('a socket is noted when it is 35 seconds old, and then each 30 seconds', () => {
    const link = openLink();
    const seen: unknown[] = [];
    for (let now = 10; now <= 100_000; now += 1000) {
      link.received(0, Buffer.alloc(0), now);
      for (const sighting of sightings(link.step(now))) seen.push([now, sighting]);
    }
    expect(seen).toEqual([
      [35_010, { kind: 'noted', isFirst: true, aheadMs: 0 }],
      [65_010, { kind: 'noted', isFirst: false, aheadMs: 0 }],
      [95_010, { kind: 'noted', isFirst: false, aheadMs: 0 }],
    ]);
  });

  test('each probe of the latency, and each speed test with its speed', () => {
    const link = openLink();
    expect(sightings(link.received(0, Buffer.alloc(16, 9), 20))).toEqual([
      { kind: 'latency-test' },
    ]);
    const bytesPerSecond = 524_288 * 10;
    expect(runTest(link, { messages: 512, ms: 100 })).toEqual([
      { kind: 'speed-test', bytesPerSecond, isWhole: true },
    ]);
  });

  test('a test of which a message is missing does not count', () => {
    expect(runTest(openLink(), { messages: 511, ms: 1000 })).toEqual([
      { kind: 'speed-test', bytesPerSecond: 511 * 1024, isWhole: false },
    ]);
  });

  test('on a slow line all of it is sent back, however long that takes', () => {
    expect(runTest(openLink(), { messages: 512, ms: 8192 })).toEqual([
      { kind: 'speed-test', bytesPerSecond: 64_000, isWhole: true },
    ]);
  });

  test('tests without end are told of once a second, and each gets its echo', () => {
    const link = openLink();
    const told: string[] = [];
    let echoes = 0;
    for (let ms = 0; ms < 10_000; ms += 10) {
      const effects = [Buffer.alloc(16, 9), control(1), control(2)].flatMap((bytes) =>
        link.received(0, bytes, 1000 + ms),
      );
      told.push(...sightings(effects).map(({ kind }) => kind));
      echoes += effects.filter(({ kind }) => kind === 'send').length;
    }
    expect(told.filter((kind) => kind === 'latency-test')).toHaveLength(10);
    expect(told.filter((kind) => kind === 'speed-test')).toHaveLength(10);
    expect(echoes).toBe(3000);
  });

  test('an end without a beginning is no test', () => {
    expect(sightings(openLink().received(0, control(2), 100))).toEqual([]);
  });
});

describe('where the platform hastens its clock', () => {
  /** When a socket is noted, at each of so many ms that are heard of. */
  function listNotes(
    link: Link,
    from: number,
    until: number,
  ): readonly (readonly [number, boolean])[] {
    const notes: (readonly [number, boolean])[] = [];
    for (
      let now = Math.max(from, Math.ceil(link.wakeAt()));
      now < until;
      now = Math.ceil(link.wakeAt())
    ) {
      link.received(0, Buffer.alloc(0), now);
      for (const effect of link.step(now))
        if (effect.kind === 'seen' && effect.sighting.kind === 'noted')
          notes.push([now, effect.sighting.isFirst]);
    }
    return notes;
  }

  test('minutes are seen by it, from then on', () => {
    const link = openLink();
    link.hasten(10, 10);
    expect(listNotes(link, 11, 9600)).toEqual([
      [3510, true],
      [6510, false],
      [9510, false],
    ]);
    link.hasten(1, 9600);
    // Of the thirty seconds, 0.9 had passed.
    expect(listNotes(link, 9601, 40_000)).toEqual([[38_700, false]]);
  });

  test('minutes that pass between two turns are noted, each with its time', () => {
    const link = openLink();
    link.hasten(1000, 10);
    const notes = link
      .step(130)
      .flatMap((effect) => (effect.kind === 'seen' ? [effect.sighting] : []));
    // Of that clock, 120 s have passed since the socket opened.
    expect(notes).toEqual([
      { kind: 'noted', isFirst: true, aheadMs: 35_010 - 130 },
      { kind: 'noted', isFirst: false, aheadMs: 65_010 - 130 },
      { kind: 'noted', isFirst: false, aheadMs: 95_010 - 130 },
    ]);
  });

  test('none is missed where its rate changes meanwhile', () => {
    const link = openLink();
    link.hasten(1000, 10);
    link.hasten(1, 130);
    const notes = link.step(140).filter(({ kind }) => kind === 'seen');
    expect(notes).toHaveLength(3);
    expect(link.step(150).filter(({ kind }) => kind === 'seen')).toEqual([]);
  });

  test('what two sockets are noted for comes in the order of its time', () => {
    const link = openLink();
    link.hasten(10, 10);
    expect(listNotes(link, 11, 6600)).toHaveLength(2);
    link.doubt(6600);
    expect(link.step(6600)).toContainEqual({ kind: 'dial', socket: 1, host: 0 });
    link.opened(1, 6600);
    const seen = link
      .step(10_590)
      .flatMap((effect) =>
        effect.kind === 'seen' && effect.sighting.kind === 'noted' ? [effect.sighting] : [],
      );
    expect(seen.map(({ isFirst }) => isFirst)).toEqual([false, true]);
    const times = seen.map(({ aheadMs }) => aheadMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  test('a move waits by it, and so does the end of the socket that is left', () => {
    const link = openLink();
    link.hasten(10, 10);
    link.received(0, Buffer.alloc(0), 5000);
    link.move(5000);
    expect(listen(link, [0], 5000, 6500)).toEqual([]);
    expect(listen(link, [0], 6500, 6520)).toEqual([[6510, { kind: 'dial', socket: 1, host: 1 }]]);
    expect(link.opened(1, 6600)).toEqual([]);
    expect(listen(link, [0, 1], 6600, 20_000)).toEqual([[10_600, { kind: 'close', socket: 0 }]]);
  });
});
