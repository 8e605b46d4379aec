import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { renderHerd } from './render-herd.ts';
import { goalRatio, runHerd } from './run-herd.ts';

/*
 * `npm run herd [-- --agents 100000] [--seed 1] [--json FILE]`: what a service sees of very many agents, on virtual time,
 * with the agent's own loops. Ends with 1 where a phase has a higher peak than the goal.
 */

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
    },
  });
  const [agents, seed] = [Number(values.agents), Number(values.seed)];
  if (!Number.isInteger(agents) || agents < 100 || agents > 5_000_000 || !Number.isInteger(seed)) {
    process.stderr.write('herd: --agents: a number from 100 to 5000000; --seed: a whole number\n');
    process.exitCode = 64;
    return;
  }
  const result = await runHerd({ agents, seed });
  process.stdout.write(renderHerd(result));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(result)}\n`);
  if (result.rows.some(({ ratio }) => ratio > goalRatio)) process.exitCode = 1;
}

await main();
