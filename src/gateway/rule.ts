import type { RefusalCounter } from './policy.ts';

/** One rule: its name (the comment by which it is recognised) and its text without the comment. */
export interface Rule {
  readonly name: string;
  readonly text: string;
}

export interface Chain {
  readonly name: string;
  readonly hook: string | undefined;
  readonly rules: readonly Rule[];
}

/** A chain that others jump to. */
export function chain(name: string, rules: readonly Rule[]): Chain {
  return { name, hook: undefined, rules };
}

/** A chain that the kernel itself enters, at a hook: `type filter hook input priority filter; policy drop;`. */
export function baseChain(name: string, hook: string, rules: readonly Rule[]): Chain {
  return { name, hook, rules };
}

export function rule(name: string, text: string): Rule {
  return { name, text };
}

export function refuse(counter: RefusalCounter): string {
  return `counter name ${counter} drop`;
}
