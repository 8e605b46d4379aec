import { toUndefined } from '../lib/errors.ts';
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

// A packet passes a host only where every table lets it. Where Docker, ufw, firewalld or the owner
// refuse forwarding by default, the link's two directions get the narrowest exception that each of
// them keeps. Nothing is remembered: tables are read each time, so this may be repeated after any
// of these programs restarted.

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
  // Last: its table may be there while it does not answer.
  await changeTrustedZone(exec, chains, 'add');
}

/** Takes every such exception back; safe to repeat. @throws command-failed */
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
 * iptables keeps its rules in a table of this name, and does not understand every rule that is put
 * there by others.
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
 * The programs of iptables whose rules are in force here: its two generations know nothing of each
 * other.
 */
async function findIptables(chains: readonly ForwardChain[]): Promise<readonly string[]> {
  // Asking the older one would create its table, so the kernel's list is read first.
  const legacyTables = (await readFileIfThere('/proc/net/ip_tables_names')) ?? '';
  return [
    ...(chains.some(({ family, table }) => isOfIptables(family, table)) ? ['iptables-nft'] : []),
    ...(legacyTables.split('\n').includes('filter') ? ['iptables-legacy'] : []),
  ];
}

/**
 * Other programs change these rules too, Docker whenever a container starts; without -w
 * iptables-legacy fails at once.
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
 * Until firewalld reloads; its files stay as they are. That zone lets everything through, our own
 * fence still applies.
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
  // It says no by its exit code.
  const isIn = (await ask('query').catch(toUndefined('command-failed'))) !== undefined;
  if (isIn !== (what === 'add')) await ask(what);
}

/**
 * Chains of other programs that leave room for the owner's rules; first those that their makers
 * promise to keep.
 */
const rooms = [
  // Docker: a chain for the owner's rules, which it only ever jumps to.
  { chain: 'DOCKER-USER', jump: '-A FORWARD -j DOCKER-USER' },
  // ufw: the chain of its route rules; reloading empties it.
  { chain: 'ufw-user-forward', jump: '-A ufw-before-forward -j ufw-user-forward' },
] as const;

/**
 * The chain of `iptables -S` that an exception belongs in; undefined: forwarded packets are not
 * refused by default.
 */
export function findIptablesChain(text: string): string | undefined {
  const lines = text.split('\n');
  if (!lines.some(isEnd)) return undefined;
  return rooms.find(({ jump }) => lines.includes(jump))?.chain ?? 'FORWARD';
}

/** By the chain's policy, or by a rule that every packet meets. */
function isEnd(line: string): boolean {
  return (
    line === '-P FORWARD DROP' || /^-A FORWARD -j (DROP|REJECT( --reject-with \S+)?)$/.test(line)
  );
}

/** Our rules in it, those that name the link: the chain, and the rest of the line. */
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
