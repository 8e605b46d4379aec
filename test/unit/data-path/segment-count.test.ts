import { describe, expect, test } from 'vitest';
import { createSegmentCount } from '../../../src/data-path/segment-count.ts';
import { SystemError } from '../../../src/system/errors.ts';
import type { Exec } from '../../../src/system/exec.ts';
import type { NftTable } from '../../../src/system/nft.ts';
import { createNftTable } from './nft-table.ts';

const uplink = { name: 'lan9', headerBytes: 14 };

/** A kernel that joins segments: what its rules saw, and what left by the device and the uplink. */
function createKernel() {
  const seen = { packets: 0, bytes: 0 };
  const sent = { packets: 0, bytes: 0 };
  const up = { seen: { packets: 0, bytes: 0 }, sent: { packets: 0, bytes: 0 } };
  const merged = new Map(['up', 'down'].map((way) => [way, { packets: 0, bytes: 0 }]));
  const hooked = new Set<string>();
  const passage = { isRedirecting: false, turn: 0 };
  const commands: string[] = [];
  let isRefusing = false;
  let mayHookUplink = true;
  let hasEntrance = false;
  const quotas = new Map([['cap', { bytes: 500_000, used: 0 }]]);
  const answer = (input: string) => {
    const asked = /qdisc show dev (\S+)/.exec(input)?.[1];
    const filter = hooked.has(asked ?? '') ? 'filter protocol all pref 30 some\n' : '';
    const toSent = ({ bytes, packets }: typeof sent) => `Sent ${bytes} bytes ${packets} pkt\n`;
    if (asked === uplink.name)
      return filter && `${filter}\taction order 1: gact action pass\n\t${toSent(up.sent)}`;
    return asked === undefined
      ? ''
      : `qdisc clsact ffff: parent ffff:fff1 \n ${toSent(sent)}${filter}`;
  };
  const changeUplink = (input: string) => {
    if (input.includes('qdisc add dev lan9')) {
      if (hasEntrance) throw new SystemError('command-failed', 'File exists');
      hasEntrance = true;
    }
    if (input.includes('qdisc delete dev lan9')) hasEntrance = false;
    if (!mayHookUplink && input.includes('filter add dev lan9'))
      throw new SystemError('command-failed', 'RTNETLINK answers: not supported');
    if (/filter delete dev lan9/.test(input)) hooked.delete('lan9');
  };
  const exec: Exec = async ({ input = '' }) => {
    commands.push(input.trim());
    if (isRefusing && input.includes('qdisc'))
      throw new SystemError('command-failed', 'tc: no such kind');
    changeUplink(input);
    const quota = /quota cap \{ over (\d+) bytes/.exec(input);
    if (quota !== null) quotas.set('cap', { bytes: Number(quota[1]), used: 0 });
    const added = /filter add dev (\S+)/.exec(input)?.[1];
    if (added !== undefined) hooked.add(added);
    for (const [, way = '', packets, bytes] of input.matchAll(
      /merged_(up|down) \{ packets (\d+) bytes (\d+) \}/g,
    ))
      merged.set(way, { packets: Number(packets), bytes: Number(bytes) });
    return answer(input);
  };
  const segments = createSegmentCount(exec, { passage: () => passage });
  const list = (): NftTable =>
    createNftTable({
      counters: new Map([
        ['handed_down', { ...seen }],
        ['handed_up', { ...up.seen }],
        ['merged_up', merged.get('up') ?? seen],
        ['merged_down', merged.get('down') ?? seen],
        ['forwarded_up', { packets: 0, bytes: 0 }],
        ['forwarded_down', { packets: 0, bytes: 0 }],
      ]),
      quotas: new Map(quotas),
    });
  const device = () => ({ name: 'tun9', rxBytes: up.sent.bytes, txBytes: sent.bytes });
  const read = (hasCap = true) => segments.read([device()], { hasCap });
  return {
    segments,
    passage,
    commands,
    /** A packet of so many segments of 1000 bytes with headers of 50. */
    carry(count: number) {
      seen.packets += 1;
      seen.bytes += 50 + count * 1000;
      sent.packets += count;
      sent.bytes += count * 1050;
    },
    /**
     * Carries an upload by the uplink, which is a card of Ethernet's kind, with headers of 52. Of
     * what a program joined, the kernel does not know how many segments it is.
     */
    send(count: number, joinedBy: 'kernel' | 'program' = 'kernel') {
      up.seen.packets += 1;
      up.seen.bytes += 52 + count * 1000;
      up.sent.packets += joinedBy === 'program' && count > 1 ? 0 : count;
      up.sent.bytes += count * (1052 + 14);
    },
    begin: (isNew = true) =>
      segments.begin({ devices: [device()], uplink: isNew ? uplink : undefined }, async () =>
        list(),
      ),
    /** Traffic control takes nothing from now on. */
    refuse() {
      isRefusing = true;
    },
    /** The uplink alone takes no filter, or takes one again. */
    letHookUplink(may: boolean) {
      mayHookUplink = may;
    },
    /** Another program has filters at the uplink. */
    takeEntrance() {
      hasEntrance = true;
    },
    hasEntrance: () => hasEntrance,
    /** What the rules let pass once a cap was set. */
    async allow(stopAtBytes: number) {
      await segments.allow(list(), { stopAtBytes, newUntilBytes: undefined });
      return quotas.get('cap')?.bytes;
    },
    /** A packet of two segments, 320 bytes of which the rules saw 300. */
    carryLittle() {
      seen.packets += 1;
      seen.bytes += 300;
      sent.packets += 2;
      sent.bytes += 320;
    },
    unread: () => segments.unreadBytes(list()),
    /** The rules see it before it leaves. */
    handOver() {
      seen.packets += 1;
      seen.bytes += 1050;
    },
    leave() {
      sent.packets += 1;
      sent.bytes += 1050;
    },
    read,
    correct: async () => (await segments.correct(list()))?.counters.get('merged_down'),
    async pass(hasCap?: boolean) {
      await read(hasCap);
      return (await segments.correct(list()))?.counters.get('merged_down');
    },
    mergedUp: () => merged.get('up'),
    isHooked: (name: string) => hooked.has(name),
  };
}

describe('the headers of joined segments', () => {
  test('are added to the count, each once', async () => {
    const kernel = createKernel();
    expect(await kernel.pass()).toEqual({ packets: 0, bytes: 0 });
    kernel.carry(20);
    kernel.carry(1);
    expect(await kernel.pass()).toEqual({ packets: 19, bytes: 950 });
    expect(await kernel.pass()).toEqual({ packets: 19, bytes: 950 });
    kernel.carry(3);
    expect(await kernel.pass()).toEqual({ packets: 21, bytes: 1_050 });
  });

  test('of packets that are on their way are not taken off, and later not added', async () => {
    const kernel = createKernel();
    await kernel.pass();
    await kernel.read();
    kernel.handOver();
    expect(await kernel.correct()).toEqual({ packets: 0, bytes: 0 });
    kernel.leave();
    expect(await kernel.pass()).toEqual({ packets: 0, bytes: 0 });
    kernel.carry(5);
    expect(await kernel.pass()).toEqual({ packets: 4, bytes: 200 });
  });

  test('are taken to be as many as before where a tree was made meanwhile', async () => {
    const kernel = createKernel();
    await kernel.pass();
    for (let count = 0; count < 100; count += 1) kernel.carry(20);
    expect(await kernel.pass()).toEqual({ packets: 1_900, bytes: 95_000 });
    kernel.passage.turn += 1;
    for (let count = 0; count < 100; count += 1) kernel.carry(20);
    expect(await kernel.pass()).toEqual({ packets: 3_800, bytes: 190_000 });
  });

  test('are expected to be at least as many as the smallest segments have', async () => {
    const kernel = createKernel();
    await kernel.pass();
    expect(kernel.segments.mostPerByte()).toBe(1.15);
    for (let count = 0; count < 2_000; count += 1) kernel.carry(20);
    await kernel.pass();
    expect(kernel.segments.mostPerByte()).toBeCloseTo(1.15);
  });

  test('are expected before a device is there, and not where they cannot be counted', async () => {
    const kernel = createKernel();
    await kernel.segments.read([], { hasCap: true });
    expect(kernel.segments.mostPerByte()).toBe(1.15);
    kernel.refuse();
    await kernel.begin();
    expect(kernel.segments.mostPerByte()).toBe(1);
  });

  test('which cannot be counted let the rules stop at the cap, once', async () => {
    const kernel = createKernel();
    kernel.refuse();
    await kernel.begin();
    expect(await kernel.allow(1_000_000)).toBe(1_000_000);
    expect(await kernel.allow(2_000_000)).toBe(1_000_000);
  });

  test('of packets that may not be read yet are kept back from the cap, and then given', async () => {
    const kernel = createKernel();
    await kernel.pass();
    kernel.carry(1_000);
    await kernel.pass();
    // The table has 1,000,050 bytes of it, and all of them may hide others' headers.
    const kept = await kernel.allow(10_000_000);
    await kernel.pass();
    const given = await kernel.allow(10_000_000);
    expect((given ?? 0) - (kept ?? 0)).toBeCloseTo(1_000_050, -2);
  });

  test('of uploads are added too, without what the card puts around each', async () => {
    const kernel = createKernel();
    await kernel.pass();
    await kernel.begin();
    kernel.send(20);
    kernel.carry(3);
    expect(await kernel.pass()).toEqual({ packets: 2, bytes: 100 });
    expect(kernel.mergedUp()).toEqual({ packets: 19, bytes: 988 });
    kernel.send(1);
    await kernel.pass();
    expect(kernel.mergedUp()).toEqual({ packets: 19, bytes: 988 });
    kernel.send(11, 'program');
    kernel.send(1);
    await kernel.pass();
    expect(kernel.mergedUp()).toEqual({ packets: 29, bytes: 988 + 520 });
  });

  test('of uploads let the rules stop early where they are many', async () => {
    const kernel = createKernel();
    await kernel.pass();
    await kernel.begin();
    for (let count = 0; count < 2_000; count += 1) kernel.send(40);
    await kernel.pass();
    expect(kernel.segments.mostPerByte()).toBe(1.15);
    expect(kernel.mergedUp()).toEqual({ packets: 78_000, bytes: 78_000 * 52 });
  });

  test('are counted no more at an uplink that is none now', async () => {
    const kernel = createKernel();
    await kernel.pass();
    await kernel.begin();
    expect(kernel.isHooked(uplink.name)).toBe(true);
    await kernel.begin(false);
    expect(kernel.isHooked(uplink.name)).toBe(false);
  });

  test('are counted again where a refusing uplink went and came back', async () => {
    const kernel = createKernel();
    await kernel.pass();
    kernel.letHookUplink(false);
    await kernel.begin();
    kernel.letHookUplink(true);
    kernel.carry(1);
    await kernel.pass();
    expect(kernel.isHooked(uplink.name)).toBe(false);
    await kernel.begin(false);
    await kernel.begin();
    expect(kernel.isHooked(uplink.name)).toBe(true);
  });

  test.each([
    ['nothing', false],
    ["another program's part", true],
  ])('leave %s at a former uplink', async (_, isOthers) => {
    const kernel = createKernel();
    if (isOthers) kernel.takeEntrance();
    await kernel.pass();
    await kernel.begin();
    expect(kernel.hasEntrance()).toBe(true);
    await kernel.begin(false);
    expect(kernel.hasEntrance()).toBe(isOthers);
  });

  test("of so little that it may be WireGuard's own are read with what comes after it", async () => {
    const kernel = createKernel();
    await kernel.pass();
    kernel.carry(20);
    for (let count = 0; count < 4; count += 1) await kernel.pass();
    kernel.commands.length = 0;
    const before = kernel.unread();
    for (let count = 0; count < 3; count += 1) {
      kernel.carryLittle();
      await kernel.pass(false);
    }
    expect(kernel.commands).toEqual([]);
    // A cap that is set now holds back what they may lack.
    expect(kernel.unread() - before).toBe(Math.ceil(3 * 300 * 0.15));
    kernel.carry(20);
    expect(await kernel.pass(false)).toEqual({ packets: 41, bytes: 1_960 });
  });

  test('of so little are read at once with a cap, whose end would come late otherwise', async () => {
    const kernel = createKernel();
    await kernel.pass();
    kernel.carry(20);
    for (let count = 0; count < 4; count += 1) await kernel.pass();
    kernel.carryLittle();
    await kernel.pass(false);
    expect(kernel.segments.isBusy()).toBe(false);
    // Set between two passes, it has what the last one left.
    expect(await kernel.pass(true)).toEqual({ packets: 20, bytes: 970 });
    expect(kernel.segments.isBusy()).toBe(true);
  });

  test('are read only while something is carried', async () => {
    const kernel = createKernel();
    await kernel.pass();
    const before = kernel.commands.length;
    await kernel.pass();
    expect([kernel.commands.length, kernel.segments.isBusy()]).toEqual([before, false]);
    kernel.carry(1);
    await kernel.pass();
    expect(kernel.segments.isBusy()).toBe(true);
  });
});
