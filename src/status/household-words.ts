import type { StatusDocument } from './document.ts';

type Household = Pick<StatusDocument['provide']['household'], 'mode' | 'pingProblem'>;

const pingProblemWords = {
  missing: 'ping is not installed',
  'not-allowed': 'ping may not be used here',
  'no-answer': 'nothing beyond your router answers a ping',
} as const;

/** `your household goes first`, and why it is seen late that it uses its line; empty without. */
export function describeHousehold({ mode, pingProblem }: Household): string {
  if (mode === 'off') return '';
  const late = pingProblem === null ? '' : `, but late: ${pingProblemWords[pingProblem]}`;
  return `your household goes first${late}`;
}
