import type { Rule } from './chains.ts';
import type { RefusalCounter } from './policy.ts';

export function rule(name: string, text: string): Rule {
  return { name, text };
}

export function refuse(counter: RefusalCounter): string {
  return `counter name ${counter} drop`;
}
