import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { findSurprises } from './judge.ts';
import { rows, shortRows } from './rows.ts';
import { type Outcome, runFault } from './run-fault.ts';

/*
 * `npm run faults`: a real agent on virtual time, each fault in turn, and what it did; ends with 1
 * where that is not what its row says. `--short` takes the first of each kind of reason in each
 * place; `--json FILE` keeps what was seen; `--only TEXT` takes the rows in whose place or name the
 * text is.
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean' },
    json: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const chosen = (values.short === true ? shortRows : rows).filter(({ where, name }) =>
  `${where}: ${name}`.includes(values.only),
);
const outcomes: Outcome[] = [];
console.log(
  '| where | fault | requests a minute | traffic | back after | reason | lost |\n|---|---|---|---|---|---|---|',
);
let line: Line | undefined;
for (const row of chosen) {
  const outcome = await runFault(row);
  outcomes.push(outcome);
  line = print(line, outcome);
  for (const surprise of findSurprises(row, outcome)) {
    console.error(`faults: ${row.name} (${row.where}): ${surprise}`);
    process.exitCode = 1;
  }
}
if (line !== undefined) console.log(render(line));
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify(outcomes, undefined, 2)}\n`);

/** A line of the table, which has faults of one place, one after the other, that end alike. */
interface Line {
  readonly where: string;
  /** As the table names them, the ways to break one file together. */
  readonly faults: readonly string[];
  readonly cells: string;
}

/** Prints the line before this one where it is complete. */
function print(before: Line | undefined, outcome: Outcome): Line {
  const { where, fault } = outcome;
  const cells = renderCells(outcome);
  const isSame = before?.where === where && before.cells === cells;
  if (isSame) return { ...before, faults: join(before.faults, fault) };
  if (before !== undefined) console.log(render(before));
  return { where, faults: join([], fault), cells };
}

/** The faults with one more: `file: damaged` and `file: empty` become one. */
function join(faults: readonly string[], fault: string): readonly string[] {
  const [file = '', how] = fault.split(': ');
  if (how === undefined) return [...faults, fault];
  const last = faults.at(-1) ?? '';
  const name = `\`${file}\`: `;
  return last.startsWith(name)
    ? [...faults.slice(0, -1), `${last}, ${how}`]
    : [...faults, `${name}${how}`];
}

function render({ where, faults, cells }: Line): string {
  return `| ${where} | ${faults.join('; ')} | ${cells} |`;
}

function renderCells({
  requestsPerMinute,
  isTrafficKept,
  recoverySeconds,
  reason,
  lost,
}: Outcome): string {
  return [
    requestsPerMinute,
    isTrafficKept ? 'kept' : 'stopped',
    recoverySeconds === undefined ? 'not in an hour' : `${Math.round(recoverySeconds)} s`,
    reason === undefined ? 'none' : `\`${reason}\``,
    lost.length === 0 ? 'nothing' : lost.join(', '),
  ].join(' | ');
}
