import type { NftTable } from '../system/nft.ts';
import type { RefusalCounter } from './policy.ts';
import {
  expectations,
  type Probe,
  type ProbeIdentity,
  type ProbeName,
  probeSets,
  toProbeMark,
} from './self-test.ts';

/** More sources than this are not told apart by their probes. */
const mostSources = 4;

/**
 * How many packets of probes the rules refused, by counter. They have to be subtracted, because no
 * consumer sent them.
 */
export function countRefusedProbes(table: NftTable): ReadonlyMap<RefusalCounter, number> {
  const counts = new Map<RefusalCounter, number>();
  for (const name of Object.keys(expectations) as ProbeName[]) {
    // Without a permit no packet passes, so a probe that would pass is refused as closed.
    const counter = expectations[name] ?? 'refused_closed';
    for (const slot of Array.from({ length: mostSources }).keys()) {
      for (const family of [4, 6] as const) {
        const refused =
          readCount(table, { family, name, slot }, 'arrived') -
          readCount(table, { family, name, slot }, 'passed');
        counts.set(counter, (counts.get(counter) ?? 0) + refused);
      }
    }
  }
  return counts;
}

/**
 * The result; of several the worst. `leaking`: a probe passed that has to be refused. `lost`: a
 * probe never arrived. `stuck`: a probe did not pass that has to.
 */
export type SelfTestResult =
  | { readonly kind: 'held' }
  | { readonly kind: 'leaking' | 'lost' | 'stuck'; readonly probes: readonly Probe[] };

export interface SelfTestReadings {
  readonly before: NftTable | undefined;
  readonly after: NftTable;
  /** Names of the devices whose permit lived from the one to the other. */
  readonly open: readonly string[];
}

/** Judges probes that were sent between two readings of the kernel's counts. */
export function judgeSelfTest(
  probes: readonly Probe[],
  { before, after, open }: SelfTestReadings,
): SelfTestResult {
  // A count that fell belongs to a new table, so any count in it has grown.
  const hasGrown = (probe: Probe, what: keyof typeof probeSets) => {
    const now = readCount(after, probe, what);
    return now > 0 && now !== (before && readCount(before, probe, what));
  };
  const isToPass = ({ name }: Probe) => expectations[name] === undefined;
  const found = {
    leaking: probes.filter((probe) => !isToPass(probe) && hasGrown(probe, 'passed')),
    lost: probes.filter((probe) => !hasGrown(probe, 'arrived')),
    stuck: probes.filter(
      (probe) => isToPass(probe) && open.includes(probe.device) && !hasGrown(probe, 'passed'),
    ),
  };
  for (const kind of ['leaking', 'lost', 'stuck'] as const) {
    if (found[kind].length > 0) return { kind, probes: found[kind] };
  }
  return { kind: 'held' };
}

function readCount(table: NftTable, probe: ProbeIdentity, what: keyof typeof probeSets): number {
  return table.elementPackets.get(`${probeSets[what]}/${toProbeMark(probe)}`) ?? 0;
}
