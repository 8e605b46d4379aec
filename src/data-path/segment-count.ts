import { toUndefined } from '../errors/codes.ts';
import { tableName } from '../gateway/policy.ts';
import { renderHeaders, renderQuotas } from '../gateway/ruleset.ts';
import {
  hasHook,
  listHookLines,
  listHookQuestions,
  readSegments,
  type SegmentTotals,
} from '../gateway/segment-hook.ts';
import type { Exec } from '../system/exec.ts';
import { applyNft, type NftTable, resetQuota } from '../system/nft.ts';
import { applyTc, askTcCounts } from '../system/tc.ts';
import { type CapTotals, planQuotas } from './cap-quota.ts';
import type { LineShaper } from './line-shaper.ts';

/**
 * Adds to the count of what comes down the headers that the rules do not see, because the kernel
 * joins segments. The rules stop at the cap by themselves; this corrects what they leave, pass by
 * pass, so it errs on the owner's side meanwhile.
 */
export interface SegmentCount {
  /**
   * Reads what left by these devices, and makes the kernel count it where it does not yet. Called
   * before the table is read, so that no more is added than the rules have counted.
   */
  read(devices: readonly CountedDevice[]): Promise<void>;
  /** Does so for devices that were made after it, before anything may pass them. */
  begin(devices: readonly CountedDevice[], table: NftTable | undefined): Promise<void>;
  /**
   * Puts the missing headers into the table that was read after it. Resolves with the table as it
   * is then.
   * @throws command-failed
   */
  correct(table: NftTable | undefined): Promise<NftTable | undefined>;
  /**
   * Sets what the rules may let pass until the next pass. Resolves with the table as it is then.
   * @throws command-failed
   */
  allow(table: NftTable | undefined, cap: CapTotals): Promise<NftTable | undefined>;
  /**
   * How many bytes the line may carry for each byte that the rules see: 1 where segments cannot be
   * counted. More than 1 before that is known: a new device carries as soon as it is opened, and
   * what the rules may let pass is looked at again only by the pass after.
   */
  mostPerByte(): number;
  /** True where something left by the devices since the reading before the last one. */
  isBusy(): boolean;
}

/**
 * A segment of 536 bytes, the smallest that the rules agree on, has a header of at most 72, so
 * together they are 1.14 of what is counted of them.
 */
const leastPerByte = 1.15;
/**
 * Where the missing headers were more than that, twice as much is expected next time. More than
 * this is no traffic that a quota could foresee.
 */
const largestPerByte = 4;
/** Of fewer bytes than this, the packets between the two readings are too large a part. */
const tellingBytes = 1_000_000;

/** A source's device that is there. */
export interface CountedDevice {
  readonly name: string;
  /** What it was given to send since it was made: while that is the same, nothing is read. */
  readonly txBytes: number;
}

interface Reading {
  readonly sent: SegmentTotals;
  /** Which devices were read, and how packets reached them: other readings cannot be compared. */
  readonly place: string;
}

interface Base extends Reading {
  readonly handed: SegmentTotals;
}

export function createSegmentCount(exec: Exec, line: Pick<LineShaper, 'passage'>): SegmentCount {
  let reading: Reading | undefined;
  let base: Base | undefined;
  /** undefined until a device was there to try it at. */
  let isCounting: boolean | undefined;
  /** True while the rules stop earlier than at the cap. */
  let stopsEarly = true;
  let isBusy = false;
  let carried = '';
  let counted = '';
  /** The share of headers that were not seen, and of packets, at the last comparison. */
  let missing = { perByte: 0, perPacket: 0 };

  const readDevice = async (device: string, way: { readonly isRedirected: boolean }) => {
    const said = await askTcCounts(exec, listHookQuestions(device));
    if (hasHook(said)) return readSegments(said, way);
    const [entrance = '', filter = ''] = listHookLines(device);
    await applyTc(exec, [entrance], 'forced').catch(toUndefined('command-failed'));
    await applyTc(exec, [filter]);
    return readSegments(await askTcCounts(exec, listHookQuestions(device)), way);
  };
  const readAll = async (devices: readonly string[]): Promise<Reading | undefined> => {
    const { isRedirecting, turn } = line.passage();
    const each = await Promise.all(
      devices.map((device) => readDevice(device, { isRedirected: isRedirecting })),
    );
    const found = each.flatMap((one) => one ?? []);
    if (found.length < devices.length || devices.length === 0) return undefined;
    const place = `${devices.join()} ${isRedirecting} ${turn}`;
    const sum = (what: keyof SegmentTotals) => found.reduce((all, one) => all + one[what], 0);
    return { place, sent: { bytes: sum('bytes'), packets: sum('packets') } };
  };
  /** The headers and packets that the rules did not see since the last comparison. */
  const compare = (now: Base): SegmentTotals => {
    const before = base;
    base = now;
    if (before === undefined) return { bytes: 0, packets: 0 };
    const handed = subtract(now.handed, before.handed);
    if (handed.packets <= 0) return { bytes: 0, packets: 0 };
    const sent = subtract(now.sent, before.sent);
    // Where the two readings cannot be compared, as much is missing as was before.
    if (now.place !== before.place || sent.packets < 0)
      return {
        bytes: Math.round(handed.bytes * missing.perByte),
        packets: Math.round(handed.packets * missing.perPacket),
      };
    const unseen = subtract(sent, handed);
    if (handed.bytes < tellingBytes) return unseen;
    missing = {
      perByte: Math.max(0, unseen.bytes) / handed.bytes,
      perPacket: Math.max(0, unseen.packets) / handed.packets,
    };
    return unseen;
  };
  const mostPerByte = () =>
    isCounting === false
      ? 1
      : Math.min(largestPerByte, Math.max(leastPerByte, 1 + 2 * missing.perByte));
  return {
    mostPerByte,
    isBusy: () => isBusy,
    async read(devices) {
      const now = devices.map(({ name, txBytes }) => `${name} ${txBytes}`).join();
      isBusy = now !== carried;
      if (isCounting && !isBusy) return;
      carried = now;
      const names = devices.map(({ name }) => name);
      counted = names.join();
      reading = await readAll(names).catch(toUndefined('command-failed', 'missing-program'));
      isCounting = names.length === 0 ? undefined : reading !== undefined;
    },
    async begin(devices, table) {
      const names = devices.map(({ name }) => name);
      if (names.join() === counted) return;
      counted = names.join();
      const sent = await readAll(names).catch(toUndefined('command-failed', 'missing-program'));
      const handed = table?.counters.get('handed_down');
      isCounting = names.length === 0 ? undefined : sent !== undefined;
      base = sent && handed && { ...sent, handed };
    },
    async correct(table) {
      const handed = table?.counters.get('handed_down');
      const merged = table?.counters.get('merged_down');
      if (table === undefined || handed === undefined || merged === undefined) {
        base = undefined;
        return table;
      }
      if (reading === undefined) return table;
      const unseen = compare({ ...reading, handed });
      reading = undefined;
      // Packets between the two readings were handed over and not seen to leave: they come next.
      base = base && carryOver(base, unseen);
      if (unseen.bytes <= 0) return table;
      const next = {
        packets: merged.packets + Math.max(0, unseen.packets),
        bytes: merged.bytes + unseen.bytes,
      };
      await applyNft(exec, renderHeaders(next), 'counting the headers of segments');
      return { ...table, counters: new Map([...table.counters, ['merged_down', next]]) };
    },
    async allow(table, cap) {
      if (table === undefined || (!isCounting && !stopsEarly)) return table;
      stopsEarly = mostPerByte() > 1;
      const { quotas, again } = planQuotas(table, cap, mostPerByte());
      if (quotas.size === 0) return table;
      const most = [...quotas].map(([name, { bytes }]) => [name, bytes] as const);
      await applyNft(exec, renderQuotas(most), 'setting what the cap leaves');
      // What was refused counts as used, so a quota that had stopped begins again.
      for (const name of again) await resetQuota(exec, [tableName, name]);
      return { ...table, quotas: new Map([...table.quotas, ...quotas]) };
    },
  };
}

function subtract(more: SegmentTotals, less: SegmentTotals): SegmentTotals {
  return { bytes: more.bytes - less.bytes, packets: more.packets - less.packets };
}

/** Less than nothing cannot be missing: what is short now is taken from what comes next. */
function carryOver(base: Base, unseen: SegmentTotals): Base {
  const short = { bytes: Math.min(0, unseen.bytes), packets: Math.min(0, unseen.packets) };
  return { ...base, sent: subtract(base.sent, short) };
}
