/** A chain as `nft list ruleset` prints it, with its table. */
export interface NftChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  /** Hook and policy; undefined for a chain that others jump to. */
  readonly hook: string | undefined;
  readonly rules: readonly string[];
}

// A table that belongs to a running program says so behind its brace.
const tables = /^table (\S+) (\S+) \{.*\n([\s\S]*?)^\}/gm;
const chains = /^\tchain (\S+) \{\n([\s\S]*?)^\t\}/gm;

/** Every chain of a ruleset; sets and counters are passed over. */
export function parseNftText(text: string): readonly NftChain[] {
  return [...text.matchAll(tables)].flatMap(([, family = '', table = '', inner = '']) =>
    [...inner.matchAll(chains)].map(([, name = '', body = '']) => {
      const lines = body.split('\n').map((line) => line.trim());
      return {
        family,
        table,
        name,
        hook: lines.find((line) => line.startsWith('type ')),
        rules: lines.filter((line) => line !== '' && !line.startsWith('type ')),
      };
    }),
  );
}
