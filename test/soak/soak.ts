import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runSoak } from './soak-world.ts';
import { judgeSoak, type Recovery, renderRows, type Sample } from './verdicts.ts';

const usage = `npm run soak -- [--hours N | --minutes N] [--seed N] [--json FILE]
Runs an agent in the lab with a consumer's traffic, one hour by default, while things happen to it in turn, and looks at it every
ten seconds. Ends with 1 where something grows, is left behind, or does not come back.`;

const text = { type: 'string' } as const;
const { values: options } = parseArgs({
  options: { hours: text, minutes: text, seed: text, json: text, help: { type: 'boolean' } },
});
const minutes = Number(options.minutes ?? Number(options.hours ?? '1') * 60);
const seed = Number(options.seed ?? '1');
if (
  options.help === true ||
  !(minutes >= 1 && minutes <= 60 * 24 * 31) ||
  !Number.isSafeInteger(seed)
) {
  console.log(usage);
  process.exit(options.help === true ? 0 : 64);
}

let saidMinute = 0;
/** One line a minute. */
function tell(sample: Sample, recoveries: readonly Recovery[]): void {
  const minute = Math.floor(sample.atSeconds / 60);
  if (minute === saidMinute) return;
  saidMinute = minute;
  const { agentMib, descriptors, children, logLines } = sample;
  const last = recoveries.at(-1);
  const outcome =
    last?.backSeconds === undefined ? 'not back' : `back after ${last.backSeconds.toFixed(1)} s`;
  console.log(
    [
      `${minute} min: ${agentMib.toFixed(1)} MiB, ${descriptors} descriptors, ${children} children, ${logLines} log lines`,
      `${recoveries.length} events${last === undefined ? '' : `, last ${last.event}: ${outcome}`}`,
    ].join('; '),
  );
}

console.log(`seed ${seed}, ${minutes} minutes`);
const result = await runSoak({
  id: 'soak',
  seed,
  seconds: minutes * 60,
  sampleSeconds: 10,
  gapSeconds: 30,
  // The longest outage fits into half of its life.
  tokenSeconds: 300,
  onMissing: (what) => console.log(`left out: ${what}`),
  onSample: tell,
});
const rows = judgeSoak(result);
const { samples, recoveries, ending } = result;
const watched = (samples.at(-1)?.atSeconds ?? 0) / 60;
console.log(
  `\nseed ${seed}, ${watched.toFixed(1)} minutes, ${samples.length} samples, ${recoveries.length} events\n`,
);
console.log(renderRows(rows));
if (ending !== undefined) console.log(`It was cut short: ${ending}`);
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ ...result, rows }, null, 2)}\n`);
process.exitCode = rows.every(({ isHeld }) => isHeld) ? 0 : 1;
