import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, TributaryError } from '../../src/errors/codes.ts';
import { isInsideLab } from '../lab/network.ts';
import { measureCommands } from './bench-commands.ts';
import { measureGaps } from './bench-gaps.ts';
import { type PartOptions, readLoad } from './bench-lab.ts';
import { measureLists } from './bench-lists.ts';
import { type BenchOptions, type PartName, readBenchOptions } from './bench-options.ts';
import { measurePrograms } from './bench-programs.ts';
import { measureMemory, measureRest } from './bench-rest.ts';
import { measureStart } from './bench-start.ts';
import { measureThroughput } from './bench-throughput.ts';
import { computeFigureRatio, type Figure, isMet, renderFigures } from './figures.ts';

/*
 * `npm run bench`: what the agent costs, with the goal beside each figure. In one run on one
 * machine it is compared with a shell script that signs in, registers, makes an equal tunnel and
 * forwards equal traffic, and with a Node that does nothing. Figures are judged, but a missed goal
 * is no failure. `service` measures the reference service in worlds of different sizes, `rules` one
 * tunnel with and without all rules, `packet` what they cost one packet, `household` what is left
 * of a home's line, `connect` the engine of the network's own protocol.
 */

const parts: Readonly<Record<PartName, (options: PartOptions) => Promise<readonly Figure[]>>> = {
  start: measureStart,
  programs: measurePrograms,
  memory: measureMemory,
  rest: measureRest,
  lists: measureLists,
  commands: measureCommands,
  throughput: measureThroughput,
  gaps: measureGaps,
};

async function main(): Promise<void> {
  const options = readBenchOptions(process.argv.slice(2));
  const { subject, rounds } = options;
  const isJson = options.json !== undefined;
  if (subject === 'service') {
    const { benchService } = await import('./bench-service.ts');
    return benchService({ program: join(__dirname, 'tributary.cjs'), rounds, isJson });
  }
  if (!isInsideLab()) {
    throw new TributaryError(
      'usage-invalid',
      'start it with `npm run bench`, which makes the namespaces',
    );
  }
  if (subject === 'rules') {
    const { benchRules } = await import('./bench-rules.ts');
    return benchRules({ rounds, distDirectory: __dirname, isJson });
  }
  if (subject === 'packet') {
    const { benchPacket } = await import('./bench-packet.ts');
    return benchPacket({ rounds, isJson });
  }
  if (subject === 'connect') {
    const { benchConnect } = await import('./connect/bench-connect.ts');
    return benchConnect({
      rounds,
      distDirectory: __dirname,
      isJson,
      only: options.scenarios,
    });
  }
  if (subject === 'household') {
    const { benchHousehold } = await import('./household/bench-household.ts');
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    return benchHousehold({
      rounds,
      distDirectory: __dirname,
      json: options.json,
      only: options.scenarios,
      say,
    });
  }
  await benchAgent(options);
}

async function benchAgent({
  parts: names,
  rounds,
  restSeconds,
  json,
}: BenchOptions): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const loadBefore = await readLoad();
  const figures: Figure[] = [];
  for (const name of names) {
    const measuring = parts[name]({ distDirectory: __dirname, rounds, restSeconds, say });
    // Minutes of others' measuring are not lost with it.
    const measured = await measuring.catch((error: unknown) => {
      say(`tributary: measuring ${name} failed: ${messageOf(error)}`);
      process.exitCode = 1;
      return [];
    });
    figures.push(...measured);
  }
  const load = { before: loadBefore, after: await readLoad() };
  const judged = figures.map((figure) => ({
    ...figure,
    ratio: computeFigureRatio(figure),
    isMet: isMet(figure),
  }));
  const kept = `${JSON.stringify({ rounds, restSeconds, load, figures: judged }, null, 2)}\n`;
  if (json === '-') return void process.stdout.write(kept);
  if (json !== undefined) await writeFile(json, kept);
  process.stdout.write(
    `Medians of ${rounds} rounds, in turn; at rest for ${restSeconds} s. Load before ${load.before}, after ${load.after}.\n`,
  );
  process.stdout.write(renderFigures(figures));
}

main().catch((error: unknown) => {
  process.stderr.write(`tributary: the benchmark failed: ${messageOf(error)}\n`);
  process.exitCode = error instanceof TributaryError && error.code === 'usage-invalid' ? 64 : 1;
});
