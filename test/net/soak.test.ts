import { describe, expect, it } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';
import { runSoak } from '../soak/soak-world.ts';
import { judgeSoak } from '../soak/verdicts.ts';

/** Those that take no long outage. */
const quickEvents = [
  'rules flushed',
  'tunnel deleted',
  'configuration read again',
  'status asked 50 times',
  'page open',
] as const;
/** What less than a minute can tell; the rest needs `npm run soak`. */
const telling = /^(descriptors|children|zombies|wireguard-go|nft rules|back after: .*)$/;

/**
 * What two quarters of a run this short may differ by: a kept program rests after seconds; four
 * rules tell the connections of a single consumer apart.
 */
const comesAndGoes: Readonly<Record<string, number>> = { children: 1, 'nft rules': 4 };

// The short form of `npm run soak`. Namespaces are needed; test/global-setup.ts says aloud that
// this is left out.
describe.skipIf(!isInsideLab())('an agent to which things happen', () => {
  it('provides again after each of them, and leaves no descriptor, child or rule behind', async () => {
    const pace = { seconds: 100, sampleSeconds: 0.5, gapSeconds: 1.5, rounds: 1, tokenSeconds: 60 };
    const result = await runSoak({ id: 'soakt', seed: 1, events: quickEvents, ...pace });
    expect(result.ending).toBeUndefined();
    expect(result.recoveries.map(({ event }) => event).toSorted()).toEqual(quickEvents.toSorted());
    const rows = judgeSoak(result).filter(({ name }) => telling.test(name));
    expect(rows).toHaveLength(5 + quickEvents.length);
    const grown = ({ name, first = 0, last = 0 }: (typeof rows)[number]) =>
      last - first > (comesAndGoes[name] ?? 0);
    expect(
      rows.filter((row) => !row.isHeld && (!(row.name in comesAndGoes) || grown(row))),
    ).toEqual([]);
    // The harness has something to look at.
    expect(
      result.samples.every(
        ({ agentMib, descriptors, rules }) => agentMib > 5 && descriptors > 5 && rules >= 0,
      ),
    ).toBe(true);
    expect(result.flowingSeconds).toBeGreaterThan(0);
  });
});
