import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { rows, shortRows } from './rows.ts';
import { type Outcome, runFault } from './run-fault.ts';

/*
 * `npm run faults`: a real agent on virtual time, each fault in turn, and what it did. `--short` takes the first of each
 * kind of reason in each place; `--json FILE` keeps what was seen.
 */
const { values } = parseArgs({ options: { short: { type: 'boolean' }, json: { type: 'string' } } });
const chosen = values.short === true ? shortRows : rows;
const outcomes: Outcome[] = [];
console.log('| where | fault | requests a minute | traffic | back after | reason |\n|---|---|---|---|---|---|');
for (const row of chosen) {
  const outcome = await runFault(row);
  outcomes.push(outcome);
  console.log(render(outcome));
}
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(outcomes, undefined, 2)}\n`);

function render(outcome: Outcome): string {
  const { where, fault, requestsPerMinute, isTrafficKept, recoverySeconds, reason } = outcome;
  const back = recoverySeconds === undefined ? 'not in an hour' : `${Math.round(recoverySeconds)} s`;
  const kept = isTrafficKept ? 'kept' : 'lost';
  return `| ${where} | ${fault} | ${requestsPerMinute} | ${kept} | ${back} | ${reason === undefined ? 'none' : `\`${reason}\``} |`;
}
