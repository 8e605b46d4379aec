import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCrashWorld, type Effect, type Moment, type Recovery } from './crash-world.ts';

const usage = `npm run crash -- [--every N] [--kind file|program|request] [--json FILE]
Kills the agent before and after each effect that it has on files, programs and the service, from its first start to the end of
its stop, and starts it again: it has to provide, as the same client. --every 5 takes every fifth moment.`;

const { values: options } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    kind: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const every = Number(options.every);
if (options.help === true || !Number.isSafeInteger(every) || every < 1) {
  console.log(usage);
  process.exit(options.help === true ? 0 : 2);
}

/** Both moments of each effect. */
function listMoments(effects: readonly Effect[]): readonly Moment[] {
  return effects.flatMap((effect) => [
    { when: 'before', effect } as const,
    { when: 'after', effect } as const,
  ]);
}

function say(recovery: Recovery): void {
  const { moment, seconds, faults } = recovery;
  const { number, kind, what } = moment.effect;
  const outcome = faults.length === 0 ? 'ok' : faults.join('; ');
  console.log(
    `${moment.when.padEnd(6)} ${String(number).padStart(4)} ${kind.padEnd(8)} ${seconds.toFixed(2)} s  ${outcome}  ${what}`,
  );
}

const world = await createCrashWorld('crash');
const recoveries: Recovery[] = [];
try {
  const effects = await world.listEffects();
  const chosen = listMoments(
    effects.filter(({ kind }) => options.kind === undefined || kind === options.kind),
  ).filter((_, index) => index % every === 0);
  console.log(`${effects.length} effects in a life, ${chosen.length} moments`);
  for (const moment of chosen) {
    const recovery = await world.crash(moment);
    recoveries.push(recovery);
    say(recovery);
  }
} finally {
  await world.remove();
}

console.log(
  `\n${'killed at a'.padEnd(16)}${['moments', 'slowest', 'second clients', 'faults'].map((text) => text.padStart(16)).join('')}`,
);
for (const kind of ['file', 'program', 'request'] as const) {
  const own = recoveries.filter(({ moment }) => moment.effect.kind === kind);
  if (own.length === 0) continue;
  const slowest = Math.max(...own.map(({ seconds }) => seconds));
  const seconds = own.filter(({ faults }) => faults.includes('a second client')).length;
  const faulty = own.filter(({ faults }) => faults.length > 0).length;
  const cells = [own.length, `${slowest.toFixed(2)} s`, seconds, faulty];
  console.log(`${kind.padEnd(16)}${cells.map((cell) => String(cell).padStart(16)).join('')}`);
}
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify(recoveries, null, 2)}\n`);
process.exitCode = recoveries.some(({ faults }) => faults.length > 0) ? 1 : 0;
