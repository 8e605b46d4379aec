import { TributaryError } from '../../../src/errors/codes.ts';

/**
 * The kernel's one table as far as its listing goes; understands the scripts of the gateway, a line
 * at a time.
 */
export interface FakeTable {
  apply(script: string): void;
  /** The table as `nft -j list table` prints it. @throws command-failed without a table */
  list(): string;
  print(): readonly string[];
  /** Adds to a counter, where there is one. */
  count(counter: string, packets: number, bytes: number): void;
}

interface FakeRule {
  readonly comment: string;
  readonly expr: readonly string[];
}

interface FakeChain {
  hook: string | undefined;
  policy: string | undefined;
  rules: FakeRule[];
}

interface State {
  readonly sets: Map<string, Set<string>>;
  readonly counters: Map<string, { packets: number; bytes: number }>;
  readonly chains: Map<string, FakeChain>;
  readonly quotas: Map<string, number>;
}

export function createFakeTable(): FakeTable {
  let state: State | undefined;
  const takeLine = (line: string, chain: string | undefined): string | undefined => {
    const text = line.trim();
    if (text.startsWith('table ')) {
      state ??= { sets: new Map(), counters: new Map(), chains: new Map(), quotas: new Map() };
    }
    if (text.startsWith('delete table')) state = undefined;
    if (state === undefined) return undefined;
    takeSet(state, text);
    takeCounts(state, text);
    return takeRules(state, text, chain);
  };
  return {
    apply(script) {
      const before = structuredClone(state);
      try {
        let chain: string | undefined;
        for (const line of script.split('\n')) chain = takeLine(line, chain);
      } catch (error) {
        state = before;
        throw error;
      }
    },
    list() {
      if (state === undefined)
        throw new TributaryError('command-failed', 'Error: No such file or directory');
      return JSON.stringify({ nftables: listRows(state) });
    },
    count(counter, packets, bytes) {
      const before = state?.counters.get(counter);
      if (before === undefined) return;
      before.packets += packets;
      before.bytes += bytes;
    },
    print: () =>
      state === undefined ? [] : listRows(state).map((row) => `nft ${JSON.stringify(row)}`),
  };
}

function takeCounts(state: State, text: string): void {
  const [, name, packets = 0, bytes = 0] =
    /^counter (\w+) \{(?: packets (\d+) bytes (\d+))? ?\}/.exec(text) ?? [];
  if (name !== undefined && !state.counters.has(name)) {
    state.counters.set(name, { packets: Number(packets), bytes: Number(bytes) });
  }
  state.quotas.delete(/^delete quota inet \w+ (\w+)$/.exec(text)?.[1] ?? '');
  const [, quota, most] = /^quota (\w+) \{ over (\d+) bytes \}/.exec(text) ?? [];
  if (quota !== undefined && !state.quotas.has(quota)) state.quotas.set(quota, Number(most));
}

/** A chain stays where it was made. */
function takePlace(own: FakeChain | undefined, text: string): void {
  const [, hook, policy] = /^(type .*) policy (\w+);$/.exec(text) ?? [];
  if (own === undefined || policy === undefined) return;
  if (own.hook !== undefined && own.hook !== hook)
    throw new TributaryError('command-failed', 'nft: File exists');
  own.hook = hook;
  own.policy = policy;
}

/** The chain that the next line belongs to. */
function takeRules(state: State, text: string, chain: string | undefined): string | undefined {
  if (text.startsWith('flush table')) for (const own of state.chains.values()) own.rules = [];
  const deleted = /^delete chain inet \w+ (\w+)$/.exec(text)?.[1];
  if (deleted !== undefined) state.chains.delete(deleted);
  const opened = /^chain (\w+) \{$/.exec(text)?.[1];
  if (opened !== undefined && !state.chains.has(opened))
    state.chains.set(opened, { hook: undefined, policy: undefined, rules: [] });
  const own = state.chains.get(chain ?? '');
  takePlace(own, text);
  const [, expr = '', comment] = /^(.*) comment "([^"]*)"$/.exec(text) ?? [];
  if (comment !== undefined) own?.rules.push({ comment, expr: [expr] });
  return opened ?? (text === '}' ? undefined : chain);
}

function takeSet(state: State, text: string): void {
  const [, verb, name = '', rest = ''] =
    /^(set|flush set|delete set|add element|delete element)(?: inet \w+)? (\w+)(.*)$/.exec(text) ??
    [];
  if (verb === undefined) return;
  const set = state.sets.get(name) ?? new Set();
  if (verb === 'delete set') {
    state.sets.delete(name);
    return;
  }
  state.sets.set(name, set);
  if (verb === 'flush set') set.clear();
  // Each loading chooses another element.
  if (name === 'judged') return;
  const listed = /(?:elements = )?\{ ((?!type)[^{}]*?) \}/.exec(
    rest.replace(/^ \{ type .*?(elements = |\}$)/, '$1'),
  )?.[1];
  for (const element of listed?.split(', ') ?? []) {
    const bare = element.replace(/^"([^"]*)".*$/, '$1');
    if (verb === 'delete element') set.delete(bare);
    else set.add(bare);
  }
}

function listRows(state: State): readonly object[] {
  const place = { family: 'inet', table: 'tributary' };
  return [
    { table: { family: 'inet', name: 'tributary', handle: 1 } },
    ...[...state.sets].map(([name, elements]) => ({
      set: { ...place, name, elem: [...elements] },
    })),
    ...[...state.counters].map(([name, counted]) => ({ counter: { ...place, name, ...counted } })),
    ...[...state.quotas].map(([name, bytes]) => ({ quota: { ...place, name, bytes, used: 0 } })),
    ...[...state.chains].flatMap(([name, { hook, policy, rules }]) => [
      { chain: { ...place, name, ...(policy === undefined ? {} : { policy, hook }) } },
      ...rules.map((rule) => ({ rule: { ...place, chain: name, ...rule } })),
    ]),
  ];
}
