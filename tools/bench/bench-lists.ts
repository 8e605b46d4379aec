import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Bench,
  type PartOptions,
  pause,
  readPid,
  sayingPid,
  startAgent,
  stopAgent,
  waitForProviding,
  withBench,
} from './bench-lab.ts';
import type { Figure } from './figures.ts';
import { computeMedian } from './medians.ts';
import { readTreeUse } from './process-tree.ts';

/** How many prefixes are denied, and how much memory (KiB) they may take. */
const goals = [
  { prefixes: 64_000, kibibytes: 8_192 },
  { prefixes: 200_000, kibibytes: 20_480 },
] as const;
const laterSeconds = 0.3;
/** By then the garbage of the start is collected, and the kept programs have listed twice. */
const settleSeconds = 45;
const elementsAtOnce = 8000;

interface Cost {
  readonly seconds: number;
  readonly kibibytes: number;
  /** What nft and the kernel take for the same set and nothing else. */
  readonly nftSeconds: number;
}

/** What long lists of denied prefixes add to an agent's memory and start, with none beside them. */
export async function measureLists(options: PartOptions): Promise<readonly Figure[]> {
  const without = await measure(options, 0);
  const figures: Figure[] = [];
  for (const { prefixes, kibibytes } of goals) {
    const cost = await measure(options, prefixes);
    figures.push(
      {
        name: `${prefixes} denied: more memory`,
        value: cost.kibibytes - without.kibibytes,
        unit: 'kibibytes',
        goal: { of: 'value', most: kibibytes },
        note: `${cost.kibibytes.toFixed(0)} KiB beside ${without.kibibytes.toFixed(0)} without`,
      },
      {
        name: '  start later by',
        value: cost.seconds - without.seconds,
        unit: 'seconds',
        beside: { name: 'nft alone', value: cost.nftSeconds },
        goal: { of: 'value', most: laterSeconds },
        note: `${cost.seconds.toFixed(3)} s beside ${without.seconds.toFixed(3)} s without`,
      },
    );
  }
  return figures;
}

async function measure(options: PartOptions, prefixes: number): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-lists-'));
  try {
    const path = join(folder, 'denied.txt');
    await writeFile(path, Array.from({ length: prefixes }, toPrefix).join('\n'));
    const denied = prefixes === 0 ? [] : [`file:${path}`];
    return await withBench(options, (bench) => timeStarts(bench, options, prefixes), {
      config: { gateway: { deny_destinations: denied } },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** No two of these touch, so none is merged with another. */
const toPrefix = (_: unknown, index: number) =>
  `20.${index >> 10}.${(index >> 2) & 255}.${(index & 3) * 64}/30`;

async function timeStarts(
  bench: Bench,
  { rounds, say }: PartOptions,
  prefixes: number,
): Promise<Cost> {
  const seconds: number[] = [];
  let kibibytes = 0;
  for (let round = 1; round <= rounds; round += 1) {
    say(`lists: ${prefixes} denied, round ${round} of ${rounds}`);
    const startedAtMs = performance.now();
    const agent = startAgent(bench, { wrapper: sayingPid });
    const pid = await readPid(agent);
    await waitForProviding(agent);
    seconds.push((performance.now() - startedAtMs) / 1000);
    if (round === rounds) {
      await pause(settleSeconds);
      kibibytes = readTreeUse(pid).kilobytes;
    }
    await stopAgent(agent);
  }
  return { seconds: computeMedian(seconds), kibibytes, nftSeconds: await timeNft(bench, prefixes) };
}

/**
 * Seconds for a table with this set. In a user namespace a command may send no more at once than
 * the kernel gives every program for a socket, so that nft fills it in parts.
 */
async function timeNft({ lab }: Bench, prefixes: number): Promise<number> {
  if (prefixes === 0) return 0;
  const set = `set denied { type ipv4_addr; size ${prefixes}; }`;
  const parts = [`table inet bench { ${set}; }`];
  for (let from = 0; from < prefixes; from += elementsAtOnce) {
    const length = Math.min(elementsAtOnce, prefixes - from);
    const elements = Array.from({ length }, (each, index) => toPrefix(each, from + index));
    parts.push(`add element inet bench denied { ${elements.join(', ').replaceAll('/30', '')} }`);
  }
  const paths = parts.map((_, index) => join(lab.directory, `denied-${index}.nft`));
  for (const [index, path] of paths.entries()) await writeFile(path, parts[index] ?? '');
  const startedAtMs = performance.now();
  for (const path of paths) await lab.network.run('device', 'nft', '-f', path);
  const seconds = (performance.now() - startedAtMs) / 1000;
  await lab.network.run('device', 'nft', 'delete', 'table', 'inet', 'bench');
  return seconds;
}
