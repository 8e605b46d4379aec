import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { targets } from './targets.ts';
import { type TargetResult, tryTarget } from './try-target.ts';

const usage = `npm run fuzz -- [--seconds S] [--seed N] [--only NAME] [--json FILE]
Gives what every reader of foreign text takes, with a few things wrong, to it: each has S seconds (2 by default).`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (options.help === true) {
  console.log(usage);
  process.exit();
}
const chosen = targets.filter(({ name }) => name.includes(options.only));
const seconds = Number(options.seconds);
const seed = Number(options.seed);
if (chosen.length === 0 || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  console.error(chosen.length === 0 ? `no reader is called "${options.only}"` : usage);
  process.exit(2);
}

console.log(`seed ${seed}, ${seconds} s for each of ${chosen.length} readers`);
console.log(
  `${'reader'.padEnd(38)}${['cases', 'taken', 'refused', 'slowest', 'faults'].map((text) => text.padStart(10)).join('')}`,
);
const results: TargetResult[] = [];
for (const target of chosen) {
  const endMs = performance.now() + seconds * 1000;
  const result = await tryTarget(target, seed, () => performance.now() >= endMs);
  results.push(result);
  const cells = [
    result.cases,
    result.taken,
    result.refused,
    `${Math.round(result.slowestMs)} ms`,
    result.faults.length,
  ];
  console.log(
    `${result.name.padEnd(38)}${cells.map((cell) => String(cell).padStart(10)).join('')}`,
  );
  for (const fault of result.faults)
    console.log(`  ${fault.why}\n  ${JSON.stringify(fault.text.slice(0, 300))}`);
}
const all = results.reduce((sum, { cases }) => sum + cases, 0);
const faults = results.reduce((sum, result) => sum + result.faults.length, 0);
console.log(`${all} cases, ${faults} faults`);
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ seed, seconds, results }, null, 2)}\n`);
process.exitCode = faults === 0 ? 0 : 1;
