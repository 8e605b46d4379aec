import { describe, expect, test } from 'vitest';
import { createSegmentCount } from '../../../src/data-path/segment-count.ts';
import { SystemError } from '../../../src/system/errors.ts';
import type { Exec } from '../../../src/system/exec.ts';
import type { NftTable } from '../../../src/system/nft.ts';

/** A kernel that joins segments: what its rules saw, and what left by the device. */
function createKernel() {
  const seen = { packets: 0, bytes: 0 };
  const sent = { packets: 0, bytes: 0 };
  let merged = { packets: 0, bytes: 0 };
  let isHooked = false;
  const passage = { isRedirecting: false, turn: 0 };
  const commands: string[] = [];
  let isRefusing = false;
  const quotas = new Map([['cap', { bytes: 500_000, used: 0 }]]);
  const exec: Exec = async ({ input = '' }) => {
    commands.push(input.trim());
    if (isRefusing && input.includes('qdisc'))
      throw new SystemError('command-failed', 'tc: no such kind');
    const quota = /quota cap \{ over (\d+) bytes/.exec(input);
    if (quota !== null) quotas.set('cap', { bytes: Number(quota[1]), used: 0 });
    if (input.includes('filter add')) isHooked = true;
    const counter = /merged_down \{ packets (\d+) bytes (\d+) \}/.exec(input);
    if (counter !== null) merged = { packets: Number(counter[1]), bytes: Number(counter[2]) };
    return input.includes('qdisc show')
      ? `qdisc clsact ffff: parent ffff:fff1 \n Sent ${sent.bytes} bytes ${sent.packets} pkt\n${isHooked ? 'filter protocol all pref 30 u32\n' : ''}`
      : '';
  };
  const segments = createSegmentCount(exec, { passage: () => passage });
  const list = (): NftTable => ({
    counters: new Map([
      ['handed_down', { ...seen }],
      ['merged_down', merged],
      ['forwarded_up', { packets: 0, bytes: 0 }],
      ['forwarded_down', { packets: 0, bytes: 0 }],
    ]),
    quotas: new Map(quotas),
    sets: new Map(),
    expires: new Map(),
    elementPackets: new Map(),
    rules: new Map(),
    policies: new Map(),
    listing: '',
  });
  const read = () => segments.read([{ name: 'tun9', txBytes: sent.bytes }]);
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
    /** Traffic control takes nothing from now on. */
    refuse() {
      isRefusing = true;
    },
    /** What the rules let pass once a cap was set. */
    async allow(stopAtBytes: number) {
      await segments.allow(list(), { stopAtBytes, newUntilBytes: undefined });
      return quotas.get('cap')?.bytes;
    },
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
    async pass() {
      await read();
      return (await segments.correct(list()))?.counters.get('merged_down');
    },
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
    await kernel.segments.read([]);
    expect(kernel.segments.mostPerByte()).toBe(1.15);
    kernel.refuse();
    await kernel.segments.begin([{ name: 'tun9', txBytes: 0 }], undefined);
    expect(kernel.segments.mostPerByte()).toBe(1);
  });

  test('which cannot be counted let the rules stop at the cap, once', async () => {
    const kernel = createKernel();
    kernel.refuse();
    await kernel.segments.begin([{ name: 'tun9', txBytes: 0 }], undefined);
    expect(await kernel.allow(1_000_000)).toBe(1_000_000);
    expect(await kernel.allow(2_000_000)).toBe(1_000_000);
  });

  test('are read only while something leaves', async () => {
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
