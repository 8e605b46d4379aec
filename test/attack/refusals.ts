import type { AttackWorld } from './world.ts';

/** Something in the kernel that refuses packets, and that can be taken out. */
export interface Refusal {
  readonly name: string;
  takeOut(): Promise<void>;
}

/** All that refuses, in the agent's namespace and around it, and the way back to how it was. */
export interface Refusals {
  readonly all: readonly Refusal[];
  /** Restores everything that was changed since the start. */
  putBack(): Promise<void>;
}

type Run = (...command: readonly string[]) => Promise<string>;

/**
 * Finds them in the kernel, whatever the rules are called: rules that drop or reject, policies,
 * routes for the tunnel.
 */
export async function findRefusals(world: AttackWorld): Promise<Refusals> {
  const places: readonly { readonly name: string; readonly run: Run }[] = [
    { name: '', run: world.inside },
    ...(world.way === 'host' ? [{ name: 'host: ', run: world.onHost }] : []),
  ];
  const found = await Promise.all(
    places.map(async ({ name, run }) => ({ name, run, text: await run('nft', 'list', 'ruleset') })),
  );
  const all = await Promise.all(found.map(({ name, run }) => listRules(name, run)));
  const routes = await findRouting('routes of the tunnel', fence, world.inside);
  const around =
    world.way === 'host'
      ? await findRouting('host: routes of its cards', deadEnd, world.onHost)
      : undefined;
  const routing = [routes, around].filter((present) => present !== undefined);
  return {
    all: [...all.flat(), ...routing.map(({ refusal }) => refusal)],
    async putBack() {
      for (const { run, text } of found) await run('nft', `flush ruleset; ${text}`);
      for (const { putBack } of routing) await putBack();
    },
  };
}

interface Listed {
  readonly chain?: {
    readonly family: string;
    readonly table: string;
    readonly name: string;
    readonly policy?: string;
  };
  readonly rule?: {
    readonly family: string;
    readonly table: string;
    readonly chain: string;
    readonly handle: number;
    readonly comment?: string;
    readonly expr: unknown;
  };
}

async function listRules(place: string, run: Run): Promise<readonly Refusal[]> {
  const [listing, text] = await Promise.all([
    run('nft', '-j', 'list', 'ruleset'),
    run('nft', '--handle', 'list', 'ruleset'),
  ]);
  const { nftables } = JSON.parse(listing) as { nftables: readonly Listed[] };
  const texts = readTexts(text);
  return nftables.flatMap(({ chain, rule }) => {
    if (chain?.policy === 'drop') {
      const { family, table, name } = chain;
      const takeOut = () => run('nft', `chain ${family} ${table} ${name} { policy accept; }`);
      return [{ name: `${place}${table} ${name}: policy`, takeOut: toVoid(takeOut) }];
    }
    if (rule === undefined || !/"(drop|reject)"/.test(JSON.stringify(rule.expr))) return [];
    const { family, table, handle } = rule;
    const takeOut = () =>
      run('nft', 'delete', 'rule', family, table, rule.chain, 'handle', String(handle));
    // Not by its handle, which is another one once the rules were put back.
    const called = rule.comment ?? texts.get(`${family} ${table} ${handle}`) ?? `rule ${handle}`;
    return [{ name: `${place}${table} ${rule.chain}: ${called}`, takeOut: toVoid(takeOut) }];
  });
}

/** Each rule as nft writes it, by its table and handle. */
function readTexts(listing: string): ReadonlyMap<string, string> {
  let table = '';
  return new Map(
    listing.split('\n').flatMap((line): readonly [string, string][] => {
      table = /^table (\S+ \S+) /.exec(line)?.[1] ?? table;
      const [, text = '', handle] = /^\t\t(.*) # handle (\d+)$/.exec(line) ?? [];
      return handle === undefined ? [] : [[`${table} ${handle}`, text]];
    }),
  );
}

/**
 * The second fence within the namespace: what comes from a source looks its routes up in a table of
 * its own first.
 */
const fence = { table: '51821', priority: '5181' } as const;
/** On the host, so does what comes in by a card that forwards for the namespace alone. */
const deadEnd = { table: '51819', priority: '5179' } as const;

/** Rules that lead what comes in by an interface to a table. */
async function findRouting(
  name: string,
  { table, priority }: { readonly table: string; readonly priority: string },
  run: Run,
) {
  const rules = await Promise.all(
    ['-4', '-6'].map(async (family) => {
      const text = await run('ip', family, 'rule');
      return [...text.matchAll(/from all iif (\S+) lookup (\d+)/g)].flatMap(([, iif = '', to]) =>
        to === table ? [{ family, iif }] : [],
      );
    }),
  );
  const present = rules.flat();
  if (present.length === 0) return undefined;
  const change = async (verb: 'add' | 'delete') => {
    for (const { family, iif } of present) {
      const rest = ['priority', priority, 'iif', iif, 'lookup', table];
      await run('ip', family, 'rule', verb, ...rest).catch(() => '');
    }
  };
  return {
    refusal: { name, takeOut: () => change('delete') },
    async putBack() {
      await change('delete');
      await change('add');
    },
  };
}

function toVoid(act: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    await act();
  };
}
