import { hasCode } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { readFileIfThere } from '../system/files.ts';
import { applyNft } from '../system/nft.ts';
import { type NftRule, observeNftRuleset } from '../system/nft-ruleset.ts';
import { findIptablesChain, type IptablesRule, toIptablesRules } from './iptables-chain.ts';
import { hostSide, hostTableName } from './plan.ts';

/*
 * A packet passes a host only where every table lets it. Where Docker, ufw, firewalld or the owner refuse what is forwarded
 * by default, the wire's two directions get the one exception that each of them leaves alone. Nothing is remembered: what is
 * there is looked for each time, so this may be repeated after any of them has started anew.
 */

/** Lets the wire's packets through the host's other tables; safe to repeat. @throws command-failed */
export async function letThrough(exec: Exec): Promise<void> {
  const chains = await observeChains(exec);
  for (const program of await findIptables(chains)) {
    const text = await listIptables(exec, program);
    const chain = findIptablesChain(text);
    if (chain !== undefined) await insertIptables(exec, program, chain, toIptablesRules(text));
  }
  for (const chain of chains.filter(refusesByDefault)) {
    if (!chain.hasOurs) await applyNft(exec, toNftInsertion(chain), `letting ${hostSide} through table ${chain.table}`);
  }
  // Last: its table may stand while it cannot be spoken to.
  if (isFirewalld(chains)) await changeTrustedZone(exec, 'add');
}

/** Takes every such exception back; safe to repeat. @throws command-failed */
export async function letThroughNoMore(exec: Exec): Promise<void> {
  const chains = await observeChains(exec);
  for (const program of await findIptables(chains)) {
    for (const { chain, match } of toIptablesRules(await listIptables(exec, program))) {
      await exec({ program, args: [...patiently, '-D', chain, ...match], doing: `removing ${hostSide} from ${chain}` });
    }
  }
  for (const { family, table, chain, handle } of (await observeNftRuleset(exec)).rules.filter(isOurs)) {
    await applyNft(
      exec,
      `delete rule ${family} ${table} ${chain} handle ${handle}\n`,
      `removing it from table ${table}`,
    );
  }
  if (isFirewalld(chains)) await changeTrustedZone(exec, 'remove');
}

const ruleComment = 'tributary';

interface ForwardChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly isClosed: boolean;
  readonly hasOurs: boolean;
}

/** Every chain, in any table, that forwarded IPv4 packets go through. */
async function observeChains(exec: Exec): Promise<readonly ForwardChain[]> {
  const { chains, rules } = await observeNftRuleset(exec);
  const ours = rules.filter(isOurs);
  return chains
    .filter(({ hook, family, table }) => hook === 'forward' && family !== 'ip6' && table !== hostTableName)
    .map(({ family, table, name, policy }) => ({
      family,
      table,
      name,
      isClosed: policy === 'drop' || rules.some((rule) => isEnd(rule) && isIn(rule, { family, table, name })),
      hasOurs: ours.some((rule) => isIn(rule, { family, table, name })),
    }));
}

function isIn(rule: NftRule, { family, table, name }: Pick<ForwardChain, 'family' | 'table' | 'name'>): boolean {
  return rule.family === family && rule.table === table && rule.chain === name;
}

/** True for a rule that ends every packet that meets it. */
function isEnd({ expr }: NftRule): boolean {
  const words = expr.flatMap(Object.keys);
  return words.some((word) => ends.includes(word)) && words.every((word) => [...ends, 'counter', 'log'].includes(word));
}

const ends: readonly string[] = ['drop', 'reject'];

function isOurs({ family, table, comment }: NftRule): boolean {
  return comment === ruleComment && table !== hostTableName && !isOfIptables(family, table);
}

/** iptables keeps its rules in a table of this name, and does not understand every rule that is put there by others. */
function isOfIptables(family: string, table: string): boolean {
  return family === 'ip' && table === 'filter';
}

function refusesByDefault({ family, table, isClosed }: ForwardChain): boolean {
  return isClosed && !isOfIptables(family, table) && table !== firewalldTable;
}

function toNftInsertion({ family, table, name }: ForwardChain): string {
  return ['iifname', 'oifname']
    .map((side) => `insert rule ${family} ${table} ${name} ${side} "${hostSide}" accept comment "${ruleComment}"\n`)
    .join('');
}

/** The programs of iptables whose rules are in force here: its two generations know nothing of each other. */
async function findIptables(chains: readonly ForwardChain[]): Promise<readonly string[]> {
  // Asking the older one makes its table where there is none, so its own list is looked at first.
  const legacyTables = (await readFileIfThere('/proc/net/ip_tables_names')) ?? '';
  return [
    ...(chains.some(({ family, table }) => isOfIptables(family, table)) ? ['iptables-nft'] : []),
    ...(legacyTables.split('\n').includes('filter') ? ['iptables-legacy'] : []),
  ];
}

/** Others change these rules too, Docker as often as a container starts: the older iptables gives up at once otherwise. */
const patiently = ['-w', '10'] as const;

/** The rules of the filter table; empty where that program is not installed, and then nobody uses it either. */
async function listIptables(exec: Exec, program: string): Promise<string> {
  try {
    return await exec({ program, args: [...patiently, '-S'], doing: `reading the rules of ${program}` });
  } catch (error) {
    if (hasCode(error, 'missing-program')) return '';
    throw error;
  }
}

async function insertIptables(
  exec: Exec,
  program: string,
  chain: string,
  present: readonly IptablesRule[],
): Promise<void> {
  for (const side of ['-i', '-o']) {
    if (present.some((rule) => rule.chain === chain && rule.match.includes(side))) continue;
    const args = [...patiently, '-I', chain, '1', side, hostSide, '-j', 'ACCEPT'];
    await exec({ program, args, doing: `letting ${hostSide} through ${chain}` });
  }
}

const firewalldTable = 'firewalld';

function isFirewalld(chains: readonly ForwardChain[]): boolean {
  return chains.some(({ table }) => table === firewalldTable);
}

/** Until firewalld is loaded anew, and not in its files. In that zone everything is let through; our own fence is not its. */
async function changeTrustedZone(exec: Exec, what: 'add' | 'remove'): Promise<void> {
  const ask = (option: string) =>
    exec({
      program: 'firewall-cmd',
      args: ['--zone=trusted', `--${option}-interface=${hostSide}`],
      doing: `asking firewalld about ${hostSide}`,
    }).then(
      () => true,
      (error: unknown) => {
        // It says no by its exit code.
        if (option === 'query' && hasCode(error, 'command-failed')) return false;
        throw error;
      },
    );
  const isIn = await ask('query');
  if (isIn !== (what === 'add')) await ask(what);
}
