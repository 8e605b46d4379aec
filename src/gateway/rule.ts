import type { RefusalCounter } from './policy.ts';

/** One rule: its name (the comment by which it is recognised) and its text without the comment. */
export interface Rule {
  readonly name: string;
  readonly text: string;
}

export interface Chain {
  readonly name: string;
  /** undefined: a chain that others jump to. */
  readonly hook: string | undefined;
  readonly rules: readonly Rule[];
}

export function rule(name: string, text: string): Rule {
  return { name, text };
}

/** Drops and counts. */
export function refuse(counter: RefusalCounter): string {
  return `counter name ${counter} drop`;
}
