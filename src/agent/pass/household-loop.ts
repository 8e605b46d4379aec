import type { LineShaper } from '../../data-path/line-shaper.ts';
import { hostPortOfUrl } from '../../lib/host-port.ts';
import { takeLineSample } from '../../provide/household.ts';
import { beginHousehold, type HouseholdState } from '../../provide/household-state.ts';

import { type LineProbe, type ProbeTarget, patienceMs } from '../../system/line-probe.ts';
import type { Carried } from '../../system/traffic.ts';
import type { Loop } from '../run-loop.ts';
import type { Sections, Shared } from '../state.ts';
import { countLineBits, findOwnBits, type SourceLoad } from './line-load.ts';

export interface HouseholdLoopParts
  extends Pick<Shared, 'state' | 'log' | 'now'>,
    Pick<Sections, 'household'> {
  readonly line: Pick<LineShaper, 'setRate'>;
  readonly probe: LineProbe;
  readonly readCarried: (name: string) => Carried | undefined;
  readonly readHardwareBytes: () => number | undefined;
}

/** The household needs nothing of this before the first consumer is served (ms). */
const firstAfterMs = 1_000;
const sharingMs = 500;
const restingMs = 4_000;
/** Less shared traffic than this is no load that a household could notice. */
const restBits = 100e3;
/**
 * The rate of the tree is a little lower. The tree counts fewer bytes around a packet than the line
 * may carry, and a queue at the line's end needs room to empty.
 */
const treePart = 0.97;
/**
 * After this many tries without an answer of the service, the router is measured instead, which at
 * least shows delays of the Wi-Fi. After this time (ms) the service is tried again.
 */
const mostFailures = 2;
const routerMs = 300_000;
const routerPort = 53;
/**
 * A rate this far below the line's cannot come from trying to find the line's end, so it is for the
 * household.
 */
const yieldingPart = 0.7;

/**
 * Measures delays on the way to the Internet while something is shared, and holds sharing to what
 * the household leaves.
 */
export function createHouseholdLoop(parts: HouseholdLoopParts): Loop {
  const { state, household, line, probe, log, now } = parts;
  let remembered: HouseholdState = beginHousehold;
  /** `hardwareBits` is NaN where the card's counters are unknown. */
  let before:
    | { readonly atMs: number; readonly carriedBits: number; readonly hardwareBits: number }
    | undefined;
  let failures = 0;
  let routerUntilMs = 0;
  let askedHost: string | undefined;

  /** What the sources' devices carried; undefined if no device exists. */
  const readAll = (): readonly SourceLoad[] | undefined => {
    const each = state.sources.all.flatMap(({ driver: { device } }) => {
      const carried = parts.readCarried(device);
      const found = state.path.observed?.sources.find((own) => own.device === device);
      const mtu = found?.observed.kind === 'present' ? found.observed.mtu : undefined;
      // A device whose source wants nothing now has none around its packets that is known.
      const overheadBytes = found?.overheadBytes || undefined;
      return carried === undefined ? [] : [{ ...carried, overheadBytes, mtu }];
    });
    return each.length === 0 ? undefined : each;
  };
  const measure = () => {
    const carried = readAll();
    const last = before;
    const atMs = performance.now();
    before = carried && {
      atMs,
      carriedBits: countLineBits(carried),
      hardwareBits: (parts.readHardwareBytes() ?? Number.NaN) * 8,
    };
    if (before === undefined || last === undefined) return undefined;
    const perSecond = (bits: number) => (Math.max(0, bits) * 1000) / (atMs - last.atMs);
    const loadBits = perSecond(before.carriedBits - last.carriedBits);
    const cardBits = perSecond(before.hardwareBits - last.hardwareBits);
    return { atMs, loadBits, ownBits: findOwnBits(cardBits, loadBits) };
  };
  const findCeiling = () => state.mode.limit?.bitsPerSecond ?? Number.POSITIVE_INFINITY;
  const findTarget = (): ProbeTarget => {
    const { router } = state.path.observed ?? {};
    return routerUntilMs > performance.now() && router !== undefined
      ? { host: router, port: routerPort }
      : hostPortOfUrl(state.configuration.config.service.base_url);
  };
  const allow = async (next: HouseholdState) => {
    const toBits = (bits: number) => (Number.isFinite(bits) ? Math.round(bits) : undefined);
    const bitsPerSecond = toBits(next.rateBits * (next.rateBits < findCeiling() ? treePart : 1));
    if (next.rateBits !== remembered.rateBits) await line.setRate(bitsPerSecond);
    remembered = next;
    const ceilingBits = Math.min(findCeiling(), next.lineBits || Number.POSITIVE_INFINITY);
    const yieldingSince =
      next.rateBits < yieldingPart * ceilingBits ? (household.yieldingSince ?? now()) : undefined;
    if (yieldingSince !== household.yieldingSince) {
      log.info(
        { bitsPerSecond },
        yieldingSince ? 'yielding to the household' : 'the household leaves the line',
      );
    }
    const hasBegun = yieldingSince !== undefined && household.yieldingSince === undefined;
    const ceilingBitsPerSecond = toBits(ceilingBits);
    Object.assign(household, {
      bitsPerSecond,
      ceilingBitsPerSecond,
      yieldingSince,
      yields: household.yields + Number(hasBegun),
    } satisfies typeof household);
  };
  /** The delay in ms; undefined without an answer. */
  const measureDelay = async () => {
    const startedAtMs = performance.now();
    const target = findTarget();
    // Delays to another place cannot be compared with the former ones.
    if (target.host !== askedHost) remembered = { ...remembered, minima: [] };
    askedHost = target.host;
    const delayMs = await probe(target);
    failures = delayMs === undefined || delayMs >= patienceMs ? failures + 1 : 0;
    // A full queue may hold an answer back for that long, and one cut ends this. If it does not,
    // the place does not answer at all.
    if (failures <= mostFailures) return delayMs;
    if (routerUntilMs > startedAtMs) return undefined;
    failures = 0;
    routerUntilMs = startedAtMs + routerMs;
    return undefined;
  };
  const tick = async () => {
    const startedAtMs = performance.now();
    if (
      state.configuration.config.provide.household === 'off' ||
      state.mode.decision?.permit !== true
    ) {
      before = undefined;
      if (remembered !== beginHousehold) await allow(beginHousehold);
      return restingMs;
    }
    const seen = measure();
    if (seen === undefined || seen.loadBits < restBits) return restingMs;
    const delayMs = await measureDelay();
    await allow(takeLineSample(remembered, { ...seen, delayMs, ceilingBits: findCeiling() }));
    return Math.max(0, sharingMs - (performance.now() - startedAtMs));
  };
  return { name: 'household', isOnBeat: true, tick, firstAfterMs };
}
