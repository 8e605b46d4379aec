import { toUndefined } from '../errors/codes.ts';
import type { Exec } from '../system/exec.ts';
import { readFileIfThere } from '../system/files.ts';
import { applyNft } from '../system/nft.ts';
import {
  type ForwardChain,
  findForwardChains,
  type NftRule,
  observeNftRuleset,
} from '../system/nft-ruleset.ts';
import { hostSide, hostTableName } from './plan.ts';

// A packet passes a host only if every table lets it. Where Docker, ufw, firewalld or the owner
// refuse forwarding by default, the link's two directions get the narrowest exception that each of
// them keeps. Nothing is remembered: tables are read each time, so this may be repeated after any
// of these programs has restarted.

/**
 * Lets the link's packets through the host's other tables; safe to repeat. @throws command-failed
 */
export async function letThrough(exec: Exec): Promise<void> {
  const chains = await observeChains(exec);
  for (const program of await findIptables(chains)) {
    const text = await listIptables(exec, program);
    const chain = findIptablesChain(text);
    if (chain === undefined) continue;
    for (const side of ['-i', '-o']) {
      if (findOwnRules(text).some((rule) => rule.chain === chain && rule.match.includes(side)))
        continue;
      const args = [...patiently, '-I', chain, '1', side, hostSide, '-j', 'ACCEPT'];
      await exec({ program, args, doing: `letting ${hostSide} through ${chain}` });
    }
  }
  for (const chain of chains.filter(needsException)) {
    await applyNft(
      exec,
      renderNftInsertion(chain),
      `letting ${hostSide} through table ${chain.table}`,
    );
  }
  // This comes last, because firewalld's table may exist while firewalld does not answer.
  await changeTrustedZone(exec, chains, 'add');
}

/** Removes every such exception; safe to repeat. @throws command-failed */
export async function letThroughNoMore(exec: Exec): Promise<void> {
  const chains = await observeChains(exec);
  for (const program of await findIptables(chains)) {
    for (const { chain, match } of findOwnRules(await listIptables(exec, program))) {
      await exec({
        program,
        args: [...patiently, '-D', chain, ...match],
        doing: `removing ${hostSide} from ${chain}`,
      });
    }
  }
  for (const { family, table, chain, handle } of (await observeNftRuleset(exec)).rules.filter(
    isOurs,
  )) {
    const text = `delete rule ${family} ${table} ${chain} handle ${handle}\n`;
    await applyNft(exec, text, `removing it from table ${table}`);
  }
  await changeTrustedZone(exec, chains, 'remove');
}

const ruleComment = 'tributary';

/** The chains of other programs that forwarded packets pass through. */
async function observeChains(exec: Exec): Promise<readonly ForwardChain[]> {
  return findForwardChains(await observeNftRuleset(exec)).filter(
    ({ table }) => table !== hostTableName,
  );
}

function isOurs({ family, table, comment }: NftRule): boolean {
  return comment === ruleComment && table !== hostTableName && !isOfIptables(family, table);
}

/**
 * True for the tables in which iptables keeps its rules. It does not understand every rule that
 * other programs add there.
 */
function isOfIptables(family: string, table: string): boolean {
  return family === 'ip' && table === 'filter';
}

function needsException({ family, table, isClosed, rules }: ForwardChain): boolean {
  return (
    isClosed && !isOfIptables(family, table) && table !== firewalldTable && !rules.some(isOurs)
  );
}

function renderNftInsertion({ family, table, name }: ForwardChain): string {
  return ['iifname', 'oifname']
    .map(
      (side) =>
        `insert rule ${family} ${table} ${name} ${side} "${hostSide}" accept comment "${ruleComment}"\n`,
    )
    .join('');
}

/**
 * The programs of iptables whose rules are in force here. Its two generations know nothing of each
 * other.
 */
async function findIptables(chains: readonly ForwardChain[]): Promise<readonly string[]> {
  // Asking the older generation would create its table, so the kernel's list of tables is read
  // first.
  const legacyTables = (await readFileIfThere('/proc/net/ip_tables_names')) ?? '';
  return [
    ...(chains.some(({ family, table }) => isOfIptables(family, table)) ? ['iptables-nft'] : []),
    ...(legacyTables.split('\n').includes('filter') ? ['iptables-legacy'] : []),
  ];
}

/**
 * Other programs change these rules too, Docker whenever a container starts. Without -w,
 * iptables-legacy fails at once then.
 */
const patiently = ['-w', '10'] as const;

/**
 * The rules of the filter table; empty where that program is not installed, because then it has no
 * rules.
 */
async function listIptables(exec: Exec, program: string): Promise<string> {
  const listing = exec({
    program,
    args: [...patiently, '-S'],
    doing: `reading the rules of ${program}`,
  });
  return (await listing.catch(toUndefined('missing-program'))) ?? '';
}

const firewalldTable = 'firewalld';

/**
 * Adds the link to firewalld's trusted zone, or removes it. This holds until firewalld reloads, and
 * its files are not changed. The zone lets everything through, but our own fence still applies.
 */
async function changeTrustedZone(
  exec: Exec,
  chains: readonly ForwardChain[],
  what: 'add' | 'remove',
): Promise<void> {
  if (!chains.some(({ table }) => table === firewalldTable)) return;
  const ask = (option: string) => {
    const args = ['--zone=trusted', `--${option}-interface=${hostSide}`];
    return exec({ program: 'firewall-cmd', args, doing: `asking firewalld about ${hostSide}` });
  };
  // firewall-cmd says no by its exit code.
  const isIn = (await ask('query').catch(toUndefined('command-failed'))) !== undefined;
  if (isIn !== (what === 'add')) await ask(what);
}

/**
 * Chains in which other programs leave room for the owner's rules. The first ones are those that
 * their makers promise to keep.
 */
const rooms = [
  // Docker's chain for the owner's rules, to which it only ever jumps.
  { chain: 'DOCKER-USER', jump: '-A FORWARD -j DOCKER-USER' },
  // The chain of ufw's route rules; reloading ufw empties it.
  { chain: 'ufw-user-forward', jump: '-A ufw-before-forward -j ufw-user-forward' },
] as const;

/**
 * The chain in the text of `iptables -S` that an exception belongs in; undefined where forwarded
 * packets are not refused by default.
 */
export function findIptablesChain(text: string): string | undefined {
  const lines = text.split('\n');
  if (!lines.some(isEnd)) return undefined;
  return rooms.find(({ jump }) => lines.includes(jump))?.chain ?? 'FORWARD';
}

/** True for a line that refuses every packet: the chain's policy, or a rule without conditions. */
function isEnd(line: string): boolean {
  return (
    line === '-P FORWARD DROP' || /^-A FORWARD -j (DROP|REJECT( --reject-with \S+)?)$/.test(line)
  );
}

/** Our own rules in the text, which name the link: their chain, and the rest of the line. */
export function findOwnRules(
  text: string,
): readonly { readonly chain: string; readonly match: readonly string[] }[] {
  return text.split('\n').flatMap((line) => {
    const [option, chain, ...match] = line.split(' ');
    return option === '-A' && chain !== undefined && match.includes(hostSide)
      ? [{ chain, match }]
      : [];
  });
}
