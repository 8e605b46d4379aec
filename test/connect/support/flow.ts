import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress } from '../../../src/connect/packet/rewrite.ts';
import type { App } from './app.ts';
import { makePacket } from './packets.ts';
import { createStrictWorld, type StrictWorld, type StrictWorldOptions } from './strict-world.ts';

/** One connection of an app to a server of the Internet, with steady traffic in both directions. */
export interface Flow {
  readonly world: StrictWorld;
  /** Runs so long, and a few seconds more in which what is on its way arrives. */
  run(ms: number): void;
  readonly app: () => App;
  readonly up: Count;
  readonly down: Count;
  /** The longest time in which the app got nothing though the server sent. */
  longestSilence(): number;
  /** Identities that the app has used. */
  identities(): number;
}

interface Count {
  sent: number;
  received: number;
  sentBytes: number;
  isInOrder: boolean;
  paidBytes: number;
  bytes: number;
}

export interface FlowOptions extends Omit<StrictWorldOptions, 'onDevice'> {
  readonly isDirect?: boolean;
  readonly steadyPings?: number | undefined;
  readonly downPerSecond: number;
  readonly downBytes: number;
  readonly upPerSecond: number;
  readonly upBytes: number;
  /** Besides, the app answers each second packet of the server, as TCP does. */
  readonly hasAcks?: boolean;
  /** How often the server sends, in ms; a multiple of the time of one packet. */
  readonly tick?: number;
  /** Nothing is sent while it says so. */
  readonly isPaused?: (now: number) => boolean;
}

/** A new connection is tried so long after the app has lost its identity. */
const comesBackAfter = 450;

export function createFlow(options: FlowOptions): Flow {
  const up = emptyCount();
  const down = emptyCount();
  const numbered = (number: number, bytes: number): Buffer => {
    const payload = Buffer.alloc(bytes - 28);
    payload.writeUInt32BE(number);
    return makePacket({ version: 4, protocol: 17, payload });
  };
  const upPacket = numbered(0, options.upBytes);
  const downPacket = numbered(0, options.downBytes);
  const ack = numbered(0, 40);
  let outer: Buffer | undefined;
  let silence = 0;
  let heardAt: number | undefined;
  let identities = 0;
  let app: App;
  let startAt: number | undefined = 0;
  let isOver = false;

  const world = createStrictWorld({
    ...options,
    onDevice(packet) {
      const header = readIpHeader(packet);
      if (header === undefined) throw new Error('the device was given no sound packet');
      outer = Buffer.from(readAddress(packet, header, 'source'));
      take(up, packet);
    },
  });
  const offerUp = (packet: Buffer): void => {
    const of = Buffer.from(packet);
    of.writeUInt32BE(up.sent, 28);
    if (app.send(of, absolute())) count(up, of);
  };
  const absolute = (): number => world.now() + 1_700_000_000_000;
  const begin = (): void => {
    identities++;
    app = world.addApp({
      isDirect: options.isDirect ?? false,
      steadyPings: options.steadyPings,
      onPacket(packet) {
        const now = world.now();
        if (heardAt !== undefined) silence = Math.max(silence, now - heardAt);
        heardAt = now;
        take(down, packet);
        if (options.hasAcks === true && !isOver && down.received % 2 === 0) offerUp(ack);
      },
      onLost() {
        outer = undefined;
        startAt = world.now() + comesBackAfter;
      },
    });
    offerUp(upPacket);
  };
  const pace = (perSecond: number) => {
    let sentUntil = 0;
    return {
      due(now: number, isOff: boolean): number {
        const due =
          perSecond === 0 || isOff ? 0 : Math.floor(((now - sentUntil) * perSecond) / 1000);
        if (isOff) sentUntil = now;
        else sentUntil += (due * 1000) / Math.max(1, perSecond);
        return due;
      },
    };
  };
  const upPace = pace(options.upPerSecond);
  const downPace = pace(options.downPerSecond);
  const tick = options.tick ?? 100;

  const each = (now: number): number => {
    if (startAt !== undefined && now >= startAt) {
      startAt = undefined;
      begin();
    }
    const isPaused = options.isPaused?.(now) ?? false;
    const isOff = isPaused || isOver || outer === undefined;
    // What follows a pause is measured from its end.
    if (isPaused && heardAt !== undefined) heardAt = now;
    for (let due = upPace.due(now, isOff); due > 0; due--) offerUp(upPacket);
    for (let due = downPace.due(now, isOff); due > 0; due--) {
      const packet = Buffer.from(downPacket);
      packet.writeUInt32BE(down.sent, 28);
      outer?.copy(packet, 16);
      count(down, packet);
      world.engine.packet(packet, absolute());
    }
    return now + tick;
  };

  return {
    world,
    app: () => app,
    up,
    down,
    longestSilence: () => silence,
    identities: () => identities,
    run(ms) {
      world.run(ms, each);
      // A flow that has ended before is a silence, too.
      if (heardAt !== undefined) silence = Math.max(silence, world.now() - heardAt);
      isOver = true;
      world.run(5000, each);
      world.end();
      world.service.step(absolute() + 400_000);
      world.service.step(absolute() + 800_000);
      for (const { from, paid } of world.service.all())
        (from === world.providerId ? down : up).paidBytes += paid;
    },
  };
}

function emptyCount(): Count {
  return { sent: 0, received: 0, sentBytes: 0, isInOrder: true, paidBytes: 0, bytes: 0 };
}
function count(of: Count, packet: Buffer): void {
  of.sent++;
  of.sentBytes += packet.length;
}
function take(of: Count, packet: Buffer): void {
  if (packet.readUInt32BE(28) !== of.received) of.isInOrder = false;
  of.received++;
  of.bytes += packet.length;
}
