import { toUndefined } from '../errors/codes.ts';
import {
  type HookPlace,
  hasHook,
  listFilterQuestions,
  listHookLines,
  listHookQuestions,
  listUplinkHookLines,
  readSegments,
  readUplinkSegments,
  renderEntranceRemoval,
  renderHookRemoval,
} from '../gateway/segment-hook.ts';
import type { Exec } from '../system/exec.ts';
import type { Interface } from '../system/ip.ts';
import { applyTc, askTc, askTcCounts } from '../system/tc.ts';
import type { LineShaper } from './line-shaper.ts';
import type { Reading } from './unseen-headers.ts';

/** The interface by which what consumers send leaves. */
export interface CountedUplink {
  readonly name: string;
  /** Bytes that the kernel counts around each packet there. */
  readonly headerBytes: number;
}

/**
 * A card of Ethernet's kind puts a header before each packet: one with a hardware address of six
 * bytes.
 */
export function toCountedUplink(
  interfaces: readonly Interface[],
  name: string | undefined,
): CountedUplink | undefined {
  const own = interfaces.find((candidate) => candidate.name === name);
  const hasHeader = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(own?.hardwareAddress ?? '');
  return own && { name: own.name, headerBytes: hasHeader ? ethernetBytes : 0 };
}

const ethernetBytes = 14;

/**
 * Reads what left by devices, each segment with its own header, and makes the kernel count it where
 * it does not yet. Resolves with undefined where this kernel cannot.
 */
export interface SegmentReader {
  /** What left by the sources' devices, to consumers. */
  readDown(devices: readonly string[]): Promise<Reading | undefined>;
  /** Where such a reading of devices is read now. */
  placeOf(devices: readonly string[]): string;
  /** What consumers sent that left by the uplink. */
  readUp(uplink: CountedUplink): Promise<Reading | undefined>;
  /** Ends the count at an interface that is no longer the uplink. */
  leave(uplink: string): Promise<void>;
}

export function createSegmentReader(exec: Exec, line: Pick<LineShaper, 'passage'>): SegmentReader {
  /** An uplink at which this kernel refused to count, so that it is not asked each time. */
  let refusedAt: string | undefined;
  /** Where this program made the part that filters hang on, which may be another program's. */
  const madeAt = new Set<string>();
  const orUndefined = toUndefined('command-failed', 'missing-program');

  const hook = async (name: string, [entrance = '', filter = '']: readonly string[]) => {
    await applyTc(exec, [entrance], 'forced').then(
      () => madeAt.add(name),
      toUndefined('command-failed'),
    );
    await applyTc(exec, [filter]);
  };
  const readDevice = async (device: string, way: HookPlace) => {
    const ask = () => askTcCounts(exec, listHookQuestions(device));
    const said = await ask();
    if (hasHook(said)) return readSegments(said, way);
    await hook(device, listHookLines(device));
    return readSegments(await ask(), way);
  };
  const readUplink = async (name: string, way: HookPlace) => {
    const ask = () => askTcCounts(exec, listHookQuestions(name));
    const said = await ask();
    if (way.isRedirected || hasHook(said)) return readUplinkSegments(said, way);
    if (refusedAt === name) return undefined;
    refusedAt = name;
    await hook(name, listUplinkHookLines(name));
    refusedAt = undefined;
    return readUplinkSegments(await ask(), way);
  };
  const toPlace = (names: readonly string[]) => {
    const { isRedirecting, turn } = line.passage();
    const place = `${names.join()} ${isRedirecting} ${turn}`;
    return { way: { isRedirected: isRedirecting }, place };
  };
  return {
    placeOf: (names) => toPlace(names).place,
    async readDown(devices) {
      const { way, place } = toPlace(devices);
      const each = await Promise.all(devices.map((device) => readDevice(device, way))).catch(
        orUndefined,
      );
      const found = (each ?? []).flatMap((one) => one ?? []);
      if (found.length < devices.length || devices.length === 0) return undefined;
      const sum = (what: 'bytes' | 'packets') => found.reduce((all, one) => all + one[what], 0);
      return { place, sent: { bytes: sum('bytes'), packets: sum('packets') }, headerBytes: 0 };
    },
    async readUp(uplink) {
      const { way, place } = toPlace([uplink.name]);
      const sent = await readUplink(uplink.name, way).catch(orUndefined);
      return sent && { place, sent, headerBytes: uplink.headerBytes };
    },
    async leave(uplink) {
      // A kernel that refused may take it when the interface is there again.
      if (refusedAt === uplink) refusedAt = undefined;
      await applyTc(exec, [renderHookRemoval(uplink)], 'forced').catch(orUndefined);
      if (!madeAt.delete(uplink)) return;
      const others = await askTc(exec, listFilterQuestions(uplink)).catch(orUndefined);
      if (others?.trim() === '')
        await applyTc(exec, [renderEntranceRemoval(uplink)]).catch(orUndefined);
    },
  };
}
