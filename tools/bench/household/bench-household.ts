import { setTimeout as sleep } from 'node:timers/promises';
import { createLab, type Lab, webPort } from '../../lab/lab.ts';
import { LabError } from '../../lab/lab-error.ts';
import { addresses } from '../../lab/network.ts';
import { type LabProcess, startProcess } from '../../lab/processes.ts';
import { computeMedian } from '../medians.ts';
import { createTraffic, meanOf, type Traffic } from './flows.ts';
import { addLine, type HomeLine, type LineTerms } from './line-lab.ts';
import { type Row, renderPlot, renderTable } from './render.ts';

/** The owner's settings for the line: the section `provide` of the configuration. */
const policies = {
  off: { household: 'off' },
  fixed: { household: 'off', rate_limit: { line: '10 Mbit' } },
  first: { household: 'first' },
} as const;

export interface HouseholdBench {
  readonly rounds: number;
  readonly distDirectory: string;
  readonly json: string | undefined;
  /** The scenarios to run; undefined for all. */
  readonly only: readonly string[] | undefined;
  readonly say: (line: string) => void;
}

interface World {
  readonly lab: Lab;
  readonly line: HomeLine;
  readonly traffic: Traffic;
}

type Figures = Readonly<Record<string, number>>;

/** Runs the work on a home's line of its own, with an agent that provides. */
async function withWorld<Result>(
  { distDirectory }: HouseholdBench,
  { terms, provide }: { readonly terms: LineTerms; readonly provide: object },
  work: (world: World) => Promise<Result>,
): Promise<Result> {
  const config = { provide: { mode: 'public', ...provide } };
  const lab = await createLab({ id: 'bench', profile: 'documented', distDirectory, config });
  let line: HomeLine | undefined;
  const traffic = createTraffic(lab);
  try {
    line = await addLine(lab, terms);
    lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing', 60_000);
    await sleep(2_000);
    const result = await work({ lab, line, traffic });
    const lost = line.lost();
    if (lost.length > 0)
      throw new LabError(`this machine is too busy: the line lost frames (${lost[0]})`);
    return result;
  } finally {
    traffic.stop();
    await line?.remove();
    await lab.remove();
  }
}

/** What the line carried each way in Mbit/s, from `from` to `to` seconds from now. */
async function watchLine({ line }: World, from: number, to: number) {
  await sleep(from * 1000);
  const [before, startedAtMs] = [await line.crossed(), performance.now()];
  await sleep((to - from) * 1000);
  const after = await line.crossed();
  const seconds = (performance.now() - startedAtMs) / 1000;
  const toMegabits = (bytes: number) => (bytes * 8) / seconds / 1e6;
  return { down: toMegabits(after.down - before.down), up: toMegabits(after.up - before.up) };
}

/**
 * Sharing alone for 20 s, then beside a household's download for 25 s, then alone again for 20 s.
 */
async function measureHousehold(
  bench: HouseholdBench,
  terms: LineTerms,
  policy: keyof typeof policies,
) {
  return withWorld(bench, { terms, provide: policies[policy] }, async (world) => {
    const { traffic } = world;
    const [alone, alonePing] = await Promise.all([
      traffic.send({ from: 'nas', seconds: 15 }),
      traffic.ping('nas', 15),
    ]);
    await sleep(3_000);
    const both = async () => {
      await sleep(20_000);
      return Promise.all([traffic.send({ from: 'nas', seconds: 25 }), traffic.ping('nas', 25)]);
    };
    const [share, [household, ping], lineAlone] = await Promise.all([
      traffic.send({ from: 'consumer', seconds: 65, flows: 8 }),
      both(),
      watchLine(world, 10, 19),
    ]);
    const isWithin = (index: number) => index >= 12 * 5 && index < 24 * 5;
    const figures: Figures = {
      'household alone': meanOf(alone.megabits, 5, 15),
      'its ping': computeMedian(alonePing.slice(5 * 5)),
      'share alone': meanOf(share.megabits, 10, 19),
      'line then': Math.max(lineAlone.down, lineAlone.up),
      household: meanOf(household.megabits, 12, 24),
      ping: computeMedian(ping.filter((_, index) => isWithin(index))),
      share: meanOf(share.megabits, 33, 45),
      'share 15 s later': meanOf(share.megabits, 58, 62),
      'sent again': household.retransmits,
    };
    const late = Array.from({ length: 20 }, () => 0);
    return { figures, share: share.megabits, household: [...late, ...household.megabits] };
  });
}

/** What the line carries under a limit: eight connections down, up, and both. */
async function measureLimit(bench: HouseholdBench, megabits: number): Promise<Figures> {
  const provide = { household: 'off', rate_limit: { line: `${megabits} Mbit` } };
  return withWorld(bench, { terms: {}, provide }, async (world) => {
    const send = (direction: 'down' | 'up') =>
      world.traffic.send({ from: 'consumer', seconds: 14, flows: 8, direction });
    const watched = async (...directions: readonly ('down' | 'up')[]) => {
      const [line, ...flows] = await Promise.all([
        watchLine(world, 4, 13),
        ...directions.map(send),
      ]);
      return { line, flows };
    };
    const down = await watched('down');
    const up = await watched('up');
    const both = await watched('down', 'up');
    return {
      'down: line down': down.line.down,
      'down: line up': down.line.up,
      'up: line down': up.line.down,
      'up: line up': up.line.up,
      'both: line down': both.line.down,
      'both: line up': both.line.up,
      'sent again': down.flows[0]?.retransmits ?? Number.NaN,
    };
  });
}

/** How consumers share 20 Mbit/s. */
async function measureFairness(bench: HouseholdBench): Promise<Figures> {
  const provide = { household: 'off', rate_limit: { line: '20 Mbit' } };
  return withWorld(bench, { terms: {}, provide }, async ({ lab, traffic }) => {
    const many = 100;
    for (let last = 3; last < 3 + many; last += 1)
      await lab.network.run(
        'consumer',
        'ip',
        'address',
        'add',
        `10.99.0.${last}/24`,
        'dev',
        'eth0',
      );
    const beside = async (
      other: { readonly flows?: number; readonly udpBits?: number },
      direction: 'down' | 'up',
    ) => {
      const [one, others] = await Promise.all([
        traffic.send({ from: 'consumer', source: '10.99.0.3', seconds: 14, direction }),
        traffic.send({ from: 'consumer', source: '10.99.0.4', seconds: 14, direction, ...other }),
      ]);
      const [own, theirs] = [one, others].map(({ megabits }) => meanOf(megabits, 4, 14)) as [
        number,
        number,
      ];
      return { own, percent: (own / (own + theirs)) * 100 };
    };
    const sixteen = await beside({ flows: 16 }, 'down');
    const udpDown = await beside({ udpBits: 60e6 }, 'down');
    const udpUp = await beside({ udpBits: 60e6 }, 'up');
    const received = await runMany(lab, many);
    const seconds = 15;
    const rates = received.map((bytes) => (bytes * 8) / seconds / 1e6);
    return {
      'one beside sixteen': sixteen.own,
      '% of both': sixteen.percent,
      'TCP beside UDP, down': udpDown.own,
      'TCP beside UDP, up': udpUp.own,
      '100 consumers, the least': Math.min(...rates),
      '100 consumers, the median': computeMedian(rates),
      '100 consumers, the greedy one': rates[0] ?? Number.NaN,
    };
  });
}

async function runMany(lab: Lab, count: number): Promise<readonly number[]> {
  const program = `${__dirname}/../tools/bench/household/many-consumers.ts`;
  const url = `http://${addresses.internet}:${webPort}/bytes/1000000000`;
  const running: LabProcess = startProcess({
    argv: lab.network.on(
      'consumer',
      process.execPath,
      program,
      url,
      '15',
      '3',
      String(count),
      '16',
    ),
  });
  return JSON.parse(await running.waitForLine((line) => line.startsWith('['), 60_000)) as number[];
}

const lines: Readonly<Record<string, LineTerms>> = {
  '20': { downBits: 20e6, upBits: 20e6 },
  '5': { downBits: 5e6, upBits: 5e6 },
  '100': { downBits: 100e6, upBits: 100e6 },
  '50-10': { downBits: 50e6, upBits: 10e6 },
};

/**
 * `npm run bench -- household`: what the household keeps of its line, and how consumers share the
 * rest.
 */
export async function benchHousehold(bench: HouseholdBench): Promise<void> {
  const { rounds, only, say } = bench;
  const isAsked = (name: string) => only === undefined || only.includes(name);
  const rows: Row[] = [];
  const plots: string[] = [];
  const repeat = async (name: string, measure: () => Promise<Figures>, count = rounds) => {
    if (!isAsked(name)) return;
    const all: Figures[] = [];
    for (let round = 1; round <= count; round += 1) {
      const figures = await measure().catch((error) => {
        say(
          `${name}, round ${round}: ${error instanceof Error ? error.message : error}; once more`,
        );
        return measure();
      });
      all.push(figures);
      say(
        `${name}, round ${round} of ${count}: ${JSON.stringify(figures, (_, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value))}`,
      );
    }
    const names = Object.keys(all[0] ?? {});
    rows.push({
      name,
      figures: Object.fromEntries(
        names.map((key) => [key, computeMedian(all.map((each) => each[key] ?? Number.NaN))]),
      ),
    });
  };
  for (const [lineName, terms] of Object.entries(lines)) {
    for (const policy of lineName === '20'
      ? (['off', 'fixed', 'first'] as const)
      : (['off', 'first'] as const)) {
      const name = `line-${lineName}-${policy}`;
      await repeat(
        name,
        async () => {
          const { figures, share, household } = await measureHousehold(bench, terms, policy);
          if (lineName === '20' && !plots.some((plot) => plot.startsWith(name)))
            plots.push(renderPlot(name, { share, household }, 20));
          return figures;
        },
        lineName === '20' ? rounds : 1,
      );
    }
  }
  for (const megabits of [5, 20, 100])
    await repeat(`limit-${megabits}`, () => measureLimit(bench, megabits));
  await repeat('fairness', () => measureFairness(bench));
  if (bench.json !== undefined) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else process.stdout.write(`${renderTable(rows)}\n${plots.join('\n')}`);
}
