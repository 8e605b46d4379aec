import { tableName } from '../gateway/policy.ts';
import { renderHeaders, renderQuotas } from '../gateway/ruleset.ts';
import type { Exec } from '../system/exec.ts';
import { applyNft, type NftTable, resetQuota } from '../system/nft.ts';
import { type CapTotals, planQuotas } from './cap-quota.ts';
import type { LineShaper } from './line-shaper.ts';
import { type CountedUplink, createSegmentReader } from './segment-reader.ts';
import { createUnseenHeaders, type Reading } from './unseen-headers.ts';

/**
 * Adds to the counts of both ways the headers that the rules do not see, because the kernel joins
 * segments. The rules stop at the cap by themselves; this corrects what they leave, pass by pass,
 * so it errs on the owner's side meanwhile.
 */
export interface SegmentCount {
  /**
   * Reads what left by these devices and by the uplink, and makes the kernel count it where it does
   * not yet. Called before the table is read, so that no more is added than the rules have counted.
   * With a cap, the least that was carried is read, because the rules stop early by what is unread.
   */
  read(devices: readonly CountedDevice[], cap: { readonly hasCap: boolean }): Promise<void>;
  /**
   * Does so for devices and an uplink that are new after it, before anything may pass them. The
   * table is read after the devices: what passed between would hide as many bytes of headers.
   * @throws command-failed
   */
  begin(ways: CountedWays, readTable: () => Promise<NftTable | undefined>): Promise<void>;
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
  /**
   * Bytes that the line may have carried beyond what this table has: headers that nobody has read
   * yet.
   */
  unreadBytes(table: NftTable | undefined): number;
  /** True where traffic was carried by the devices since the reading before the last one. */
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
/** The second compares what the first one still found on its way. */
const mostIdleReadings = 3;
/**
 * No more than this is no traffic: WireGuard's own messages, which the kernel's counts at its
 * device, and the kernel's search for routers there. Each reading starts a program. What it is all
 * the same is read with what comes after it.
 */
const ownBytes = 1_000;

/** A source's device that is there. */
export interface CountedDevice {
  readonly name: string;
  /** What it carried since it was made: while both are nearly the same, nothing is read. */
  readonly rxBytes: number;
  readonly txBytes: number;
}

/** By what consumers' packets leave. */
interface CountedWays {
  readonly devices: readonly CountedDevice[];
  readonly uplink: CountedUplink | undefined;
}

type Readings = { readonly [way in 'up' | 'down']: Reading | undefined };

export function createSegmentCount(exec: Exec, line: Pick<LineShaper, 'passage'>): SegmentCount {
  const reader = createSegmentReader(exec, line);
  const unseen = { up: createUnseenHeaders(), down: createUnseenHeaders() };
  let readings: Readings | undefined;
  let uplink: CountedUplink | undefined;
  /**
   * undefined until a device was there to try it at. A kernel that has counted once still can where
   * one reading fails, so no margin is given up for that.
   */
  let canCount: boolean | undefined;
  /** False after a reading that failed: it is repeated, also where nothing was carried. */
  let isRead = false;
  /** True while the rules stop earlier than at the cap. */
  let stopsEarly = true;
  let isBusy = false;
  /** False where this pass reads nothing, because nothing is to be found. */
  let isAwaited = false;
  let carried: readonly CountedDevice[] | undefined;
  /** Devices whose count was begun; undefined before there was one, or a table. */
  let counted: string | undefined;
  /** Readings that succeeded since something was carried. */
  let idleReadings = 0;

  const readAll = async (names: readonly string[]): Promise<Readings> => {
    const down = await reader.readDown(names);
    const up = uplink && names.length > 0 ? await reader.readUp(uplink) : undefined;
    isRead = down !== undefined;
    if (names.length > 0 && canCount !== true) canCount = isRead;
    return { down, up };
  };
  /** The counter of what the rules did not see one way, as it has to be; none where it is right. */
  const correctWay = (way: 'up' | 'down', table: NftTable | undefined) => {
    const handed = table?.counters.get(`handed_${way}`);
    const merged = table?.counters.get(`merged_${way}`);
    if (handed === undefined || merged === undefined) {
      unseen[way].forget();
      counted = undefined;
      return [];
    }
    const reading = readings?.[way];
    if (reading === undefined && !isAwaited) return [];
    const { packets, bytes } =
      reading === undefined ? unseen[way].skip(handed) : unseen[way].take({ ...reading, handed });
    const next = { packets: merged.packets + packets, bytes: merged.bytes + bytes };
    return bytes === 0 ? [] : [[`merged_${way}`, next] as const];
  };
  const beginWay = (way: 'up' | 'down', reading: Reading | undefined, table?: NftTable) => {
    const handed = table?.counters.get(`handed_${way}`);
    if (handed === undefined) unseen[way].forget();
    else unseen[way].begin(reading, handed);
  };
  /** True where these are the devices before and further ones, which are read from now on, too. */
  const extend = async (names: readonly string[]): Promise<boolean> => {
    const before = counted?.split(',') ?? [];
    const further = names.filter((name) => !before.includes(name));
    if (before.length === 0 || before.length + further.length > names.length) return false;
    const found = await reader.readDown(further);
    const place = { from: reader.placeOf(before), to: reader.placeOf(names) };
    if (found === undefined || !unseen.down.extend(found.sent, place)) return false;
    counted = names.join();
    return true;
  };
  const mostPerByte = () =>
    canCount === false
      ? 1
      : Math.min(
          largestPerByte,
          Math.max(leastPerByte, 1 + 2 * Math.max(unseen.up.perByte(), unseen.down.perByte())),
        );
  const unreadBytes = (table: NftTable | undefined) => {
    if (canCount === false) return 0;
    const [up, down] = (['up', 'down'] as const).map((way) =>
      unseen[way].mostMissing(table?.counters.get(`handed_${way}`), mostPerByte()),
    );
    return (up ?? 0) + (down ?? 0);
  };
  return {
    mostPerByte,
    unreadBytes,
    isBusy: () => isBusy,
    async read(devices, { hasCap }) {
      isBusy = hasCarried(devices, carried, hasCap ? 0 : ownBytes);
      if (isBusy) idleReadings = 0;
      // Once more after the last packet, which may have been on its way at the last reading; not
      // for ever, because no table is compared with it while none is read.
      const isSettled = unseen.up.isSettled() && unseen.down.isSettled();
      isAwaited = !isRead || isBusy || !(isSettled || idleReadings >= mostIdleReadings);
      if (!isAwaited) return;
      carried = devices;
      const names = devices.map(({ name }) => name);
      // Where an agent begins beside devices that carry already, the next pass compares with this.
      if (counted === undefined && names.length > 0) counted = names.join();
      readings = await readAll(names);
      if (isRead && !isBusy) idleReadings += 1;
    },
    async begin({ devices, uplink: next }, readTable) {
      const names = devices.map(({ name }) => name);
      const areSame = names.join() === counted;
      if (areSame && next?.name === uplink?.name) return;
      if (next?.name === uplink?.name && (await extend(names))) return;
      if (uplink !== undefined && next?.name !== uplink.name) await reader.leave(uplink.name);
      uplink = next;
      const now = await readAll(names);
      const table = await readTable();
      counted = names.join();
      for (const way of areSame ? (['up'] as const) : (['up', 'down'] as const))
        beginWay(way, now[way], table);
    },
    async correct(table) {
      const corrected = new Map([...correctWay('up', table), ...correctWay('down', table)]);
      readings = undefined;
      if (table === undefined || corrected.size === 0) return table;
      await applyNft(exec, renderHeaders(corrected), 'counting the headers of segments');
      return { ...table, counters: new Map([...table.counters, ...corrected]) };
    },
    async allow(table, cap) {
      if (table === undefined || (!canCount && !stopsEarly)) return table;
      stopsEarly = mostPerByte() > 1;
      const unread = unreadBytes(table);
      const { quotas, again } = planQuotas(table, cap, { mostPerByte: mostPerByte(), unread });
      const set = (most: readonly (readonly [name: string, bytes: number])[]) =>
        most.length === 0
          ? undefined
          : applyNft(exec, renderQuotas(most), 'setting what the cap leaves');
      const wanted = [...quotas].map(([name, { bytes }]) => [name, bytes] as const);
      // What was refused counts as used, so a quota that had stopped begins again. It stays stopped
      // until then: what passed before would be counted by none.
      const isStopped = (name: string) => again.includes(name);
      const before = (name: string) => table.quotas.get(name)?.bytes ?? 0;
      await set(
        wanted.map(([name, bytes]) =>
          isStopped(name) ? [name, Math.min(bytes, before(name))] : [name, bytes],
        ),
      );
      for (const name of again) await resetQuota(exec, [tableName, name]);
      await set(wanted.filter(([name, bytes]) => isStopped(name) && bytes > before(name)));
      return { ...table, quotas: new Map([...table.quotas, ...quotas]) };
    },
  };
}

/** True where these are other devices than before, or have carried more than this since. */
function hasCarried(
  devices: readonly CountedDevice[],
  before: readonly CountedDevice[] | undefined,
  leastBytes: number,
): boolean {
  if (devices.length !== before?.length) return true;
  const more = devices.map(({ name, rxBytes, txBytes }, place) => {
    const last = before[place];
    const isSame = last?.name === name && rxBytes >= last.rxBytes && txBytes >= last.txBytes;
    return isSame ? rxBytes - last.rxBytes + txBytes - last.txBytes : Number.POSITIVE_INFINITY;
  });
  return more.reduce((sum, bytes) => sum + bytes, 0) > leastBytes;
}
