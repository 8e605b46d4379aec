import { isDeepStrictEqual } from 'node:util';
import type { NftTable } from '../system/nft.ts';
import type { RefusalCounter } from './policy.ts';

/**
 * One rule: its name, which is the comment by which it is recognized, and its text without the
 * comment.
 */
export interface Rule {
  readonly name: string;
  readonly text: string;
}

export interface Chain {
  readonly name: string;
  readonly hook: string | undefined;
  readonly rules: readonly Rule[];
}

/** A chain that other chains jump to. */
export function chain(name: string, rules: readonly Rule[]): Chain {
  return { name, hook: undefined, rules };
}

/**
 * A chain that the kernel itself enters, at a hook: `type filter hook input priority filter; policy
 * drop;`.
 */
export function baseChain(name: string, hook: string, rules: readonly Rule[]): Chain {
  return { name, hook, rules };
}

export function rule(name: string, text: string): Rule {
  return { name, text };
}

/** A rule for each family: `name-v4` and `name-v6`. */
export function both(
  name: string,
  toText: (protocol: 'ip' | 'ip6', family: 4 | 6) => string,
): readonly Rule[] {
  return [rule(`${name}-v4`, toText('ip', 4)), rule(`${name}-v6`, toText('ip6', 6))];
}

/** Rules for a value; none where the value is undefined or 0. */
export function when<T>(
  value: T | undefined,
  list: (value: T) => readonly Rule[],
): readonly Rule[] {
  return value === undefined || value === 0 ? [] : list(value);
}

/** A chain in nft's syntax. */
export function renderChain(own: Chain): readonly string[] {
  return [
    `  chain ${own.name} {`,
    ...(own.hook === undefined ? [] : [`    ${own.hook}`]),
    ...own.rules.map((each) => `    ${each.text} comment "${each.name}"`),
    '  }',
  ];
}

/** True where the kernel's chain has exactly these rules, by their names. */
export function hasRules({ rules }: Pick<NftTable, 'rules'>, own: Chain): boolean {
  return isDeepStrictEqual(
    rules.get(own.name) ?? [],
    own.rules.map(({ name }) => name),
  );
}

/** A set that rules fill while packets pass. */
export function filledByRules(type: string) {
  return { type: `${type};`, elements: [], isFilledByRules: true } as const;
}

export function refuse(counter: RefusalCounter): string {
  return `counter name ${counter} drop`;
}
