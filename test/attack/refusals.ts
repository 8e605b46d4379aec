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
  const routes = await findFence(world.inside);
  return {
    all: [...all.flat(), ...(routes === undefined ? [] : [routes.refusal])],
    async putBack() {
      for (const { run, text } of found) await run('nft', `flush ruleset; ${text}`);
      await routes?.putBack();
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
  const { nftables } = JSON.parse(await run('nft', '-j', 'list', 'ruleset')) as {
    nftables: readonly Listed[];
  };
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
    const called = rule.comment ?? `rule ${handle}`;
    return [{ name: `${place}${table} ${rule.chain}: ${called}`, takeOut: toVoid(takeOut) }];
  });
}

/**
 * The second fence within the namespace: what comes from a source looks its routes up in a table of
 * its own first.
 */
async function findFence(run: Run) {
  const rules = await Promise.all(
    ['-4', '-6'].map(async (family) =>
      [...(await run('ip', family, 'rule')).matchAll(/from all iif (\S+) lookup 51821/g)].map(
        ([, iif = '']) => ({ family, iif }),
      ),
    ),
  );
  const present = rules.flat();
  if (present.length === 0) return undefined;
  const change = async (verb: 'add' | 'delete') => {
    for (const { family, iif } of present) {
      const rest = ['priority', fencePriority, 'iif', iif, 'lookup', '51821'];
      await run('ip', family, 'rule', verb, ...rest).catch(() => '');
    }
  };
  return {
    refusal: { name: 'routes of the tunnel', takeOut: () => change('delete') },
    async putBack() {
      await change('delete');
      await change('add');
    },
  };
}

const fencePriority = '5181';

function toVoid(act: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    await act();
  };
}
