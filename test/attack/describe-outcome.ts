import { findThrough, type Outcome } from './run-rows.ts';

/**
 * One line (`no turn`: what went on was over before): what was tried, how many packets were sent,
 * where they were seen, which counters rose.
 */
export function describeOutcome(outcome: Outcome): string {
  const { row, sent, counters } = outcome;
  const through = findThrough(outcome);
  const seen = outcome.heard.map(({ point, packets }) => `${point} ${packets}`).join(', ');
  const counted = Object.entries(counters).map(([name, packets]) => `${name} +${packets}`);
  const line = [
    `${through.length > 0 ? 'THROUGH' : sent === 0 ? 'no turn' : 'held   '} IPv${row.family} ${row.name}`,
    `${sent} sent`,
    seen === '' ? 'seen nowhere' : `seen at ${seen}`,
    counted.length === 0 ? 'no counter rose' : counted.join(', '),
  ].join('; ');
  return through.length === 0
    ? line
    : `${line}\n          promise: ${row.why}${describeLooks(outcome)}`;
}

function describeLooks(outcome: Outcome): string {
  return findThrough(outcome)
    .flatMap(({ point, looks }) => looks.map((look) => `\n          at ${point}: ${look}`))
    .join('');
}
