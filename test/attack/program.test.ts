import { describeAttack } from './describe-attack.ts';
import { scenarios } from './scenarios.ts';

/** What breaks the WireGuard device or kills the agent is tried with that source alone. */
const tried = [
  'while it starts in mode none',
  'in mode none',
  'while it opens',
  'while it provides',
  'with the strict rules, as without them all else',
  'with a limit on the line',
  'while it reloads again and again',
  'with its own table flushed',
  'with its rules for routing flushed',
];

describeAttack('container', {
  from: 'program',
  scenarios: scenarios.filter(({ name }) => tried.includes(name)),
});
