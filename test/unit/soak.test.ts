import { describe, expect, test } from 'vitest';
import { createNumbers } from '../random.ts';
import {
  type Figures,
  fitSlope,
  judgeSoak,
  limitGrowth,
  median,
  type Recovery,
  type Sample,
  type SoakResult,
} from '../soak/verdicts.ts';

const still: Figures = {
  agentMib: 30,
  treeMib: 34,
  descriptors: 27,
  threads: 11,
  children: 2,
  zombies: 0,
  wireGuards: 1,
  stateFiles: 10,
  rules: 86,
  elements: 40,
  connections: 80,
  logLines: 6,
  logKilobytes: 1,
  writtenMb: 0.1,
  cpuSeconds: 1,
};
const back: Recovery = {
  event: 'rules flushed',
  atSeconds: 60,
  silentSeconds: 0,
  backSeconds: 2,
  limitSeconds: 20,
};
const sampleSeconds = 30;

/**
 * Made-up looks at an agent that is at rest, but for each fourth sample; what `change` adds is seen
 * after so many hours.
 */
function makeSamples(
  hours: number,
  change: (at: { hours: number; index: number }) => Partial<Figures> = () => ({}),
) {
  const noise = createNumbers(7);
  return Array.from({ length: (hours * 3600) / sampleSeconds + 1 }, (_, index): Sample => {
    const atSeconds = index * sampleSeconds;
    const wander = noise() - 0.5;
    const changed = change({ hours: atSeconds / 3600, index });
    const memory = { agentMib: still.agentMib + wander, treeMib: still.treeMib + wander };
    const added = Object.entries(changed).map(([name, value]) => [
      name,
      (name in memory ? memory[name as 'agentMib'] : still[name as keyof Figures]) + value,
    ]);
    return {
      atSeconds,
      isAtRest: index % 4 !== 0,
      ...still,
      ...memory,
      ...Object.fromEntries(added),
    };
  });
}

interface MadeUp {
  readonly samples?: readonly Sample[];
  readonly recoveries?: readonly Recovery[];
  readonly flowingSeconds?: number;
  readonly ending?: string;
  readonly whole?: Partial<SoakResult>;
}

/** Names of what is not as it has to be. */
function listFailed({
  samples = makeSamples(8),
  recoveries = [back],
  flowingSeconds = 1000,
  ending,
  whole,
}: MadeUp) {
  const rows = judgeSoak({
    seed: 1,
    samples,
    recoveries,
    restSeconds: 1000,
    flowingSeconds,
    longestSilentSeconds: 0,
    tokens: 13,
    leastTokens: 13,
    clients: 1,
    signedOut: 0,
    ending,
    ...whole,
  });
  return rows.filter(({ isHeld }) => !isHeld).map(({ name }) => name);
}

test('an agent that stays as it is passes', () => {
  expect(listFailed({})).toEqual([]);
  expect(listFailed({ samples: makeSamples(0.5) })).toEqual([]);
});

describe('what is noticed in eight hours', () => {
  const cases: readonly [
    what: string,
    failed: readonly string[],
    change: Parameters<typeof makeSamples>[1],
  ][] = [
    [
      'memory that leaks 2 MiB an hour',
      ['memory of the agent, MiB'],
      ({ hours }) => ({ agentMib: 2 * hours }),
    ],
    [
      "a child's memory that leaks",
      ['memory with its children, MiB'],
      ({ hours }) => ({ treeMib: 2 * hours }),
    ],
    [
      'a descriptor an event',
      ['descriptors'],
      ({ index }) => ({ descriptors: Math.floor(index / 4) }),
    ],
    [
      'three descriptors that stay',
      ['descriptors'],
      ({ hours }) => ({ descriptors: hours > 4 ? 3 : 0 }),
    ],
    [
      'one child that stays, and the three descriptors that lead to it',
      ['children'],
      ({ hours }) => ({ children: hours > 4 ? 1 : 0, descriptors: hours > 4 ? 3 : 0 }),
    ],
    [
      'three descriptors too many, beside those of a child',
      ['descriptors', 'children'],
      ({ hours }) => ({ children: hours > 4 ? 1 : 0, descriptors: hours > 4 ? 6 : 0 }),
    ],
    ['one zombie, once', ['zombies'], ({ index }) => ({ zombies: index === 100 ? 1 : 0 })],
    [
      'a second wireguard-go, once',
      ['wireguard-go'],
      ({ index }) => ({ wireGuards: index === 100 ? 1 : 0 }),
    ],
    ['five threads that stay', ['threads'], ({ hours }) => ({ threads: hours > 4 ? 5 : 0 })],
    [
      'three state files that stay',
      ['state files'],
      ({ hours }) => ({ stateFiles: hours > 4 ? 3 : 0 }),
    ],
    ['one rule that stays', ['nft rules'], ({ hours }) => ({ rules: hours > 4 ? 1 : 0 })],
    ['elements that stay', ['nft elements'], ({ hours }) => ({ elements: hours > 4 ? 21 : 0 })],
    [
      'connections that stay',
      ['tracked connections'],
      ({ hours }) => ({ connections: 10 * hours }),
    ],
    ['32 log lines an hour', ['log lines at rest'], ({ hours }) => ({ logLines: 32 * hours })],
    ['401 kB of log an hour', ['kB of log'], ({ hours }) => ({ logKilobytes: 401 * hours })],
    ['21 MB written an hour', ['MB written'], ({ hours }) => ({ writtenMb: 21 * hours })],
    [
      'more than a percent of a core',
      ['CPU at rest, s'],
      ({ hours }) => ({ cpuSeconds: 37 * hours }),
    ],
  ];
  test.each(cases)('%s', (_, failed, change) => {
    expect(listFailed({ samples: makeSamples(8, change) })).toEqual(failed);
  });
});

describe('what is no fault', () => {
  test.each<[string, Parameters<typeof makeSamples>[1]]>([
    ['a peak of memory', ({ index }) => ({ agentMib: index % 40 === 0 ? 20 : 0 })],
    [
      'a child that comes and goes, a bit more often later',
      ({ hours, index }) => ({ children: index % 5 < (hours < 4 ? 2 : 3) ? 1 : 0 }),
    ],
    ['two descriptors more', ({ hours }) => ({ descriptors: hours > 4 ? 2 : 0 })],
    [
      'a start that takes much, before the second quarter',
      ({ hours }) => ({ agentMib: 10 * Math.min(hours, 1.9) }),
    ],
    ['log lines of events', ({ index }) => ({ logLines: 10 * Math.floor(index / 4) })],
    ['28 log lines an hour at rest', ({ hours }) => ({ logLines: 28 * hours })],
    ['19 MB written an hour', ({ hours }) => ({ writtenMb: 19 * hours })],
  ])('%s', (_, change) => {
    expect(listFailed({ samples: makeSamples(8, change) })).toEqual([]);
  });
});

test('a short run forgives memory what a long one does not', () => {
  expect(limitGrowth(0.25)).toBe(12);
  expect(limitGrowth(6)).toBe(0.5);
  expect(limitGrowth(1000)).toBe(0.5);
  const leaking = ({ hours }: { hours: number }) => ({ agentMib: 2 * hours });
  expect(listFailed({ samples: makeSamples(1, leaking) })).toEqual([]);
  expect(listFailed({ samples: makeSamples(3, leaking) })).toEqual(['memory of the agent, MiB']);
});

describe('events and traffic', () => {
  const name = 'back after: rules flushed (2)';
  test.each<[string, MadeUp, readonly string[]]>([
    [
      'one that was never over',
      { recoveries: [back, { ...back, backSeconds: undefined }] },
      [name],
    ],
    ['one that took too long', { recoveries: [{ ...back, backSeconds: 20.1 }, back] }, [name]],
    ['two in time', { recoveries: [back, { ...back, backSeconds: 20 }] }, []],
    ['traffic that flowed seldom', { flowingSeconds: 989 }, ['traffic at rest, %']],
    ['traffic that flowed nearly always', { flowingSeconds: 990 }, []],
    ['a silence', { whole: { longestSilentSeconds: 4 } }, ['longest silence at rest, s']],
    ['a token too few', { whole: { tokens: 12 } }, ['tokens, one after the other']],
    ['a second client', { whole: { clients: 2 } }, ['clients at the end']],
    [
      'clients that could not be counted',
      { whole: { clients: Number.NaN } },
      ['clients at the end'],
    ],
    ['one that was signed out', { whole: { signedOut: 1 } }, ['signed out']],
    ['an agent that ended', { ending: 'the agent ended' }, ['traffic at rest, %']],
  ])('%s', (_, madeUp, failed) => {
    expect(listFailed(madeUp)).toEqual(failed);
  });
});

describe('the fit', () => {
  test.each<[string, readonly number[], number]>([
    ['nothing', [3], 3],
    ['an even count', [4, 1, 3, 2], 2.5],
    ['an odd count', [9, 1, 2], 2],
  ])('takes the median of %s', (_, values, expected) => expect(median(values)).toBe(expected));

  test('gives the growth in an hour, and a quarter of wild points does not change it', () => {
    const line = (wild: number) =>
      Array.from(
        { length: 2000 },
        (_, second) => [second, second / 900 + (second % 8 === 0 ? wild : 0)] as const,
      );
    expect(fitSlope(line(0))).toBeCloseTo(4);
    expect(fitSlope(line(500))).toBeCloseTo(4, 0);
  });

  test('is level with a single point', () => expect(fitSlope([[0, 5]])).toBe(0));
});
