import type { LineShaper } from '../../data-path/line-shaper.ts';
import { hostPortOfUrl, parseHostPort } from '../../lib/host-port.ts';
import { takeLineSample } from '../../provide/household.ts';
import { beginHousehold, type HouseholdState } from '../../provide/household-state.ts';
import type { Carried } from '../../system/traffic.ts';
import type { Loop } from '../run-loop.ts';
import type { Sections, Shared } from '../state.ts';
import type { HouseholdProbe } from './household-probe.ts';
import { countLineBits, findOwnBits, type SourceLoad } from './line-load.ts';

export interface HouseholdLoopParts
  extends Pick<Shared, 'state' | 'log' | 'now'>,
    Pick<Sections, 'household'> {
  readonly line: Pick<LineShaper, 'setRate'>;
  readonly probe: HouseholdProbe;
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
/** A tick begins this much (ms) before the next answer is due, and waits for it. */
const aheadMs = 100;
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
  let askedPlace: string | undefined;

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
    } satisfies Partial<typeof household>);
  };
  const measureDelay = async (loadBits: number, signal: AbortSignal) => {
    const { lineBits, rateBits } = remembered;
    const probed = await probe.measure(
      {
        loadBits,
        lineBits,
        rateBits,
        tunnelEnd: parseHostPort(state.sources.wireGuard?.tunnel().endpoint ?? '')?.host,
        service: hostPortOfUrl(state.configuration.config.service.base_url),
        router: state.path.observed?.router,
      },
      signal,
    );
    Object.assign(household, { pingProblem: probe.problem() });
    if (probed === undefined) return undefined;
    // Delays to another place cannot be compared with the former ones.
    if (probed.place !== askedPlace) remembered = { ...remembered, minima: [] };
    askedPlace = probed.place;
    Object.assign(household, { measuredTo: probed.kind });
    return probed;
  };
  const tick = async (signal: AbortSignal) => {
    const startedAtMs = performance.now();
    if (
      state.configuration.config.provide.household === 'off' ||
      state.mode.decision?.permit !== true
    ) {
      before = undefined;
      probe.end();
      if (remembered !== beginHousehold) await allow(beginHousehold);
      return restingMs;
    }
    const seen = measure();
    if (seen === undefined || seen.loadBits < restBits) {
      probe.rest();
      return restingMs;
    }
    const probed = await measureDelay(seen.loadBits, signal);
    // Where nobody was asked, nothing is known that was not known before.
    if (probed !== undefined) {
      const { delayMs } = probed;
      await allow(takeLineSample(remembered, { ...seen, delayMs, ceilingBits: findCeiling() }));
    }
    const isHeard = probed?.kind === 'first-hop' || probed?.kind === 'tunnel-end';
    if (isHeard) return sharingMs - aheadMs;
    return Math.max(0, sharingMs - (performance.now() - startedAtMs));
  };
  return { name: 'household', isOnBeat: true, tick, firstAfterMs };
}
