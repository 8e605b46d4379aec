import { join } from 'node:path';
import * as z from 'zod';
import { webPort } from '../../lab/lab.ts';
import { LabError } from '../../lab/lab-error.ts';
import { addresses } from '../../lab/network.ts';
import { type Bench, startAgent, stopAgent, waitForProviding, withBench } from '../bench-lab.ts';
import type { Figure } from '../figures.ts';
import { addLine } from '../household/line-lab.ts';
import { computeMedian } from '../medians.ts';

const consumers = 20;
/** For each of them; before it, a little that has their first contracts opened. */
const bytes = 8 * 1024 ** 2;
const firstBytes = 100_000;
/** Of a home whose router lets a whole second of it wait. */
const homeLine = { upBits: 12_000_000, queueMs: 1000, roundTripMs: 40 };
const homeBytes = 1024 ** 2;
/** In ms. */
const longestWait = 300_000;

const downloads = z.array(
  z.object({ bytes: z.number(), seconds: z.number(), silenceSeconds: z.number() }),
);

interface TwentyOptions {
  readonly rounds: number;
  readonly distDirectory: string;
}

/**
 * Twenty consumers that download by TCP at once, through a whole agent: its engine, its device and
 * its fence. How they share, and how long one of them hears nothing. No limit is kept: where one
 * is, it is the kernel's queues that share. First over a home's line, then over what this machine
 * can do, which twenty consumers on the same machine leave little of.
 */
export async function measureTwenty(of: TwentyOptions): Promise<readonly Figure[]> {
  const home = await measureRounds(of, 'home');
  const machine = await measureRounds(of, 'machine');
  return [...home, ...machine];
}

function measureRounds(of: TwentyOptions, by: 'home' | 'machine'): Promise<readonly Figure[]> {
  return withBench(
    of,
    async (bench) => {
      const line = by === 'home' ? await addLine(bench.lab, homeLine) : undefined;
      try {
        const each = by === 'home' ? homeBytes : bytes;
        return toFigures(await downloadRounds(bench, of.rounds, each), { by, each });
      } finally {
        await line?.remove();
      }
    },
    { source: 'connect', consumers, config: { provide: { household: 'off' } } },
  );
}

async function downloadRounds(
  bench: Bench,
  count: number,
  each: number,
): Promise<readonly (readonly Download[])[]> {
  const agent = startAgent(bench);
  await waitForProviding(agent);
  const from = (await bench.lab.consumer?.isReady)?.addresses ?? [];
  await download(bench, from, firstBytes);
  const rounds: (readonly Download[])[] = [];
  for (let round = 0; round < count; round += 1) rounds.push(await download(bench, from, each));
  await stopAgent(agent);
  return rounds;
}

type Download = z.infer<typeof downloads>[number];

/** @throws LabError where one of them is not whole */
async function download(
  { lab, start }: Bench,
  from: readonly string[],
  wanted: number,
): Promise<readonly Download[]> {
  const program = join(__dirname, '../tools/bench/connect/downloads.ts');
  const url = `http://${addresses.internet}:${webPort}/bytes/${wanted}`;
  const running = start({
    argv: lab.network.on('consumer', process.execPath, program, url, ...from),
  });
  const said = await running.waitForLine((line) => line.startsWith('['), longestWait);
  const all = downloads.parse(JSON.parse(said));
  const broken = all.find((one) => one.bytes !== wanted);
  if (broken !== undefined) throw new LabError(`a download ended after ${broken.bytes} bytes`);
  return all;
}

function toFigures(
  rounds: readonly (readonly Download[])[],
  { by, each }: { readonly by: 'home' | 'machine'; readonly each: number },
): readonly Figure[] {
  const share = rounds.map((all) => {
    const seconds = all.map((one) => one.seconds);
    return Math.max(...seconds) / Math.min(...seconds);
  });
  const silences = rounds.map((all) => Math.max(...all.map((one) => one.silenceSeconds)));
  const speeds = rounds.map((all) => {
    const last = Math.max(...all.map((one) => one.seconds));
    return (all.length * each * 8) / last / 1e6;
  });
  return [
    {
      name: `twenty, ${by === 'home' ? 'a home’s line' : 'this machine'}: slowest/fastest`,
      value: computeMedian(share),
      unit: 'times',
      goal: { of: 'value', most: 1.5 },
      note: `at most ${Math.max(...share).toFixed(2)}`,
    },
    {
      name: '  longest silence',
      value: computeMedian(silences),
      unit: 'seconds',
      goal: { of: 'value', most: 1 },
      note: `at most ${Math.max(...silences).toFixed(3)} s`,
    },
    { name: '  all together', value: computeMedian(speeds), unit: 'megabits per second' },
  ];
}
