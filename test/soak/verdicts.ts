/** What was counted at one look at the agent. */
export interface Figures {
  /** Resident, shared pages divided among their users. */
  readonly agentMib: number;
  /** With all its children. */
  readonly treeMib: number;
  /** Open in the agent itself, with the three that lead to each child. */
  readonly descriptors: number;
  readonly threads: number;
  readonly children: number;
  readonly zombies: number;
  /** Programs that hold the tunnel where the kernel has no WireGuard. */
  readonly wireGuards: number;
  readonly stateFiles: number;
  readonly rules: number;
  readonly elements: number;
  /** Connections that the kernel remembers. */
  readonly connections: number;
  /** Since the start, as all that follow. */
  readonly logLines: number;
  readonly logKilobytes: number;
  readonly writtenMb: number;
  readonly cpuSeconds: number;
}

export interface Sample extends Figures {
  readonly atSeconds: number;
  /** Nothing was done to the agent since the sample before. */
  readonly isAtRest: boolean;
}

/** One thing that happened to the agent. */
export interface Recovery {
  readonly event: string;
  readonly atSeconds: number;
  /** While the event lasted and until the agent provided again. */
  readonly silentSeconds: number;
  /**
   * From the end of the event until the agent provided again; undefined: it did not while it was
   * waited for.
   */
  readonly backSeconds: number | undefined;
  readonly limitSeconds: number;
}

export interface SoakResult {
  readonly seed: number;
  readonly samples: readonly Sample[];
  readonly recoveries: readonly Recovery[];
  /**
   * Seconds in which nothing was done to the agent; `flowingSeconds` counts the ones in which the
   * consumer got an answer.
   */
  readonly restSeconds: number;
  readonly flowingSeconds: number;
  /** The longest row of seconds in which nothing was done to the agent and nothing came. */
  readonly longestSilentSeconds: number;
  /** Tokens that the device had on its disk, and the fewest with which it stays signed in. */
  readonly tokens: number;
  readonly leastTokens: number;
  /** That the service has for the device at the end. */
  readonly clients: number;
  /** Lines of the log that speak of being signed out. */
  readonly signedOut: number;
  /** Why the run was cut short; undefined: it was not. */
  readonly ending: string | undefined;
}

/** A line of the table; what does not apply to it is undefined. */
export interface Row {
  readonly name: string;
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  readonly perHour?: number | undefined;
  readonly most: number;
  readonly limit: string;
  readonly isHeld: boolean;
}

type Rule =
  /** Memory wanders by some pages: its slope counts. */
  | { readonly of: 'slope' }
  /** The last quarter's median may be this much above the first quarter's. */
  | { readonly of: 'growth'; readonly most: number }
  /** As growth, of the mean: what comes and goes all the time has no steady median. */
  | { readonly of: 'mean'; readonly most: number }
  /** No sample may be above it. */
  | { readonly of: 'most'; readonly most: number }
  /** What was added an hour while the agent was left alone. */
  | { readonly of: 'rest'; readonly most: number }
  /** What was added an hour in the whole run. */
  | { readonly of: 'whole'; readonly most: number };

/** A line of the table: how it is called, what it may grow by, and what is judged. */
interface Judged {
  readonly name: string;
  readonly rule: Rule;
  /** Where another number than the figure itself is judged. */
  readonly read?: (figures: Figures) => number;
}

const rules: Readonly<Record<keyof Figures, Judged>> = {
  agentMib: { name: 'memory of the agent, MiB', rule: { of: 'slope' } },
  treeMib: { name: 'memory with its children, MiB', rule: { of: 'slope' } },
  // One to the service and one to who asks may be open at a look.
  descriptors: {
    name: 'descriptors',
    rule: { of: 'growth', most: 2 },
    // A program that is kept running holds three: what is written to it, and its two outputs.
    read: ({ descriptors, children }) => descriptors - 3 * children,
  },
  // Node starts its four threads for files when they are first needed.
  threads: { name: 'threads', rule: { of: 'growth', most: 4 } },
  // A program that is kept rests where nothing asks it for some seconds. Half of one more in each
  // sample is more than such rests make.
  children: { name: 'children', rule: { of: 'mean', most: 0.5 } },
  zombies: { name: 'zombies', rule: { of: 'most', most: 0 } },
  wireGuards: { name: 'wireguard-go', rule: { of: 'most', most: 1 } },
  stateFiles: { name: 'state files', rule: { of: 'growth', most: 2 } },
  rules: { name: 'nft rules', rule: { of: 'growth', most: 0 } },
  elements: { name: 'nft elements', rule: { of: 'growth', most: 20 } },
  // Twelve new ones a minute are remembered for some minutes.
  connections: { name: 'tracked connections', rule: { of: 'growth', most: 60 } },
  logLines: { name: 'log lines at rest', rule: { of: 'rest', most: 30 } },
  // Two megabytes a day, while things happen all the time.
  logKilobytes: { name: 'kB of log', rule: { of: 'whole', most: 400 } },
  // 175 GB a year, which rewrites a card of 16 GB eleven times.
  writtenMb: { name: 'MB written', rule: { of: 'whole', most: 20 } },
  // One percent of a core.
  cpuSeconds: { name: 'CPU at rest, s', rule: { of: 'rest', most: 36 } },
};

/** The share of the seconds beside the events in which a consumer has to get an answer. */
const leastFlow = 0.99;

/**
 * What memory may have grown by at the end, without being a leak: some pages that are used late.
 */
const wanderMib = 3;

/** MiB an hour: a longer run sees a smaller leak, down to half a MiB an hour. */
export function limitGrowth(hours: number): number {
  return Math.max(0.5, wanderMib / hours);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return (
    ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
  );
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

type Point = readonly [atSeconds: number, value: number];
const mostPoints = 150;

/**
 * The median of the slopes between all pairs of points (Theil–Sen), an hour: a third of the points
 * may be outliers.
 */
export function fitSlope(all: readonly Point[]): number {
  const step = Math.ceil(all.length / mostPoints);
  const points = all.filter((_, index) => index % step === 0);
  const slopes = points.flatMap(([at, value], index) =>
    points.slice(index + 1).map(([laterAt, later]) => ((later - value) / (laterAt - at)) * 3600),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Added an hour, between the samples of the intervals that count. */
function countPerHour(
  samples: readonly Sample[],
  figure: keyof Figures,
  counts: (sample: Sample) => boolean,
): number {
  const intervals = samples
    .slice(1)
    .map((sample, index) => ({ sample, before: samples[index] ?? sample }));
  const chosen = intervals.filter(({ sample }) => counts(sample));
  const seconds = chosen.reduce(
    (sum, { sample, before }) => sum + sample.atSeconds - before.atSeconds,
    0,
  );
  const added = chosen.reduce(
    (sum, { sample, before }) => sum + sample[figure] - before[figure],
    0,
  );
  return seconds === 0 ? 0 : (added / seconds) * 3600;
}

/** A line for each figure, for the traffic, and for each kind of event. */
export function judgeSoak(result: SoakResult): readonly Row[] {
  const names = Object.keys(rules) as readonly (keyof Figures)[];
  return [
    ...names.map((name) => judgeFigure(result.samples, name)),
    judgeTraffic(result),
    ...judgeWhole(result),
    ...judgeEvents(result),
  ];
}

function judgeFigure(samples: readonly Sample[], figure: keyof Figures): Row {
  const { name, rule, read = (figures: Figures) => figures[figure] } = rules[figure];
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const [firstQuarter, lastQuarter] = [samples.slice(0, quarter), samples.slice(-quarter)];
  const later = samples.slice(quarter);
  const values = samples.map(read);
  const most = Math.max(...values);
  if (rule.of === 'rest' || rule.of === 'whole') {
    const counts = (sample: Sample) => rule.of === 'whole' || sample.isAtRest;
    const [first, last, perHour] = [firstQuarter, lastQuarter, samples].map((part) =>
      countPerHour(part, figure, counts),
    );
    const isHeld = (perHour ?? Number.NaN) <= rule.most;
    return { name, first, last, perHour, most, limit: `${rule.most} an hour`, isHeld };
  }
  const [first = 0, last = 0] = [firstQuarter, lastQuarter].map((part) =>
    (rule.of === 'mean' ? mean : median)(part.map(read)),
  );
  const perHour = fitSlope(later.map((sample) => [sample.atSeconds, read(sample)] as const));
  const row = { name, first, last, perHour, most };
  if (rule.of === 'most') return { ...row, limit: `${rule.most}`, isHeld: most <= rule.most };
  if (rule.of === 'growth' || rule.of === 'mean')
    return { ...row, limit: `first + ${rule.most}`, isHeld: last - first <= rule.most };
  const hours = ((later.at(-1)?.atSeconds ?? 0) - (later[0]?.atSeconds ?? 0)) / 3600;
  const limit = limitGrowth(hours);
  return { ...row, limit: `+${limit.toFixed(1)} an hour`, isHeld: perHour <= limit };
}

function judgeTraffic({ restSeconds, flowingSeconds, ending }: SoakResult): Row {
  const share = restSeconds === 0 ? 0 : flowingSeconds / restSeconds;
  const isHeld = share >= leastFlow && ending === undefined;
  return {
    name: 'traffic at rest, %',
    most: share * 100,
    limit: `at least ${leastFlow * 100}`,
    isHeld,
  };
}

/** A consumer that is left alone is never without an answer for longer. */
const mostSilentSeconds = 3;

function judgeWhole(result: SoakResult): readonly Row[] {
  const { longestSilentSeconds, tokens, leastTokens, clients, signedOut } = result;
  return [
    {
      name: 'longest silence at rest, s',
      most: longestSilentSeconds,
      limit: `${mostSilentSeconds}`,
      isHeld: longestSilentSeconds <= mostSilentSeconds,
    },
    {
      name: 'tokens, one after the other',
      most: tokens,
      limit: `at least ${leastTokens}`,
      isHeld: tokens >= leastTokens,
    },
    { name: 'clients at the end', most: clients, limit: 'just 1', isHeld: clients === 1 },
    { name: 'signed out', most: signedOut, limit: '0', isHeld: signedOut === 0 },
  ];
}

function judgeEvents({ recoveries }: SoakResult): readonly Row[] {
  const kinds = [...new Set(recoveries.map(({ event }) => event))].toSorted();
  return kinds.map((kind) => {
    const own = recoveries.filter(({ event }) => event === kind);
    const [limitSeconds = 0] = own.map((recovery) => recovery.limitSeconds);
    const slowest = Math.max(
      ...own.map(({ backSeconds }) => backSeconds ?? Number.POSITIVE_INFINITY),
    );
    const limit = `${limitSeconds} s`;
    return {
      name: `back after: ${kind} (${own.length})`,
      most: slowest,
      limit,
      isHeld: slowest <= limitSeconds,
    };
  });
}

/** The lines as text. */
export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const show = (value: number | undefined) =>
    (value === undefined ? '' : value.toFixed(2)).padStart(10);
  const head = [
    'figure'.padEnd(width),
    ...['first', 'last', 'an hour', 'most'].map((text) => text.padStart(10)),
  ];
  const lines = rows.map(({ name, first, last, perHour, most, limit, isHeld }) =>
    [
      name.padEnd(width),
      ...[first, last, perHour, most].map(show),
      limit.padStart(16),
      isHeld ? 'ok' : 'FAILED',
    ].join('  '),
  );
  return [[...head, 'limit'.padStart(16), 'verdict'].join('  '), ...lines, ''].join('\n');
}
