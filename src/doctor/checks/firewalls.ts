import { tableName } from '../../gateway/policy.ts';
import { findIptablesChain } from '../../namespace/let-through.ts';
import { hostSide, hostTableName } from '../../namespace/plan.ts';
import { listDevices } from '../../source/drivers.ts';
import {
  type ForwardChain,
  findForwardChains,
  type NftRule,
  type NftRuleset,
  observeNftRuleset,
  refuses,
} from '../../system/nft-ruleset.ts';
import { type Finding, fail, insideAsRoot, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/**
 * A packet passes only if every table lets it. So a table of another program that drops forwarded
 * packets stops the agent's.
 */
export async function lookAtFirewalls(host: DoctorHost): Promise<Finding> {
  const place = await host.place();
  if (place.kind === 'host' && place.inside === undefined)
    return skip("the agent's namespace is not there yet");
  await insideAsRoot(host);
  const ways =
    place.kind === 'host' ? [hostSide] : listDevices((await host.configuration()).config);
  const ruleset = await observeNftRuleset(host.exec);
  for (const own of ways) {
    const closed = findClosed(ruleset, own) ?? (await findClosedLegacy(host, own));
    if (closed === undefined) continue;
    const { name, fix } = findProduct(ruleset, closed, own);
    const where = `${closed.family} ${closed.table}, chain ${closed.name}`;
    return fail(
      `${name} blocks forwarded traffic (${where})`,
      place.kind === 'host' ? fixOnHost : fix,
    );
  }
  return pass('none blocks forwarded traffic');
}

/**
 * This puts an exception into each firewall of the host, where its maker leaves room for the
 * owner's rules.
 */
const fixOnHost = 'sudo tributary namespace up';

type ClosedChain = Pick<ForwardChain, 'family' | 'table' | 'name'>;

/**
 * The first chain of another program that refuses forwarded packets, in a table that has no
 * exception for ours.
 */
function findClosed(ruleset: NftRuleset, own: string): ClosedChain | undefined {
  const letsThrough = (rule: NftRule) =>
    JSON.stringify(rule.expr).includes(`"${own}"`) && !refuses(rule);
  return findForwardChains(ruleset)
    .filter(({ table, isClosed }) => isClosed && table !== tableName && table !== hostTableName)
    .find((chain) => !ruleset.rules.some((rule) => isInTable(rule, chain) && letsThrough(rule)));
}

function isInTable(one: Pick<NftRule, 'family' | 'table'>, other: ClosedChain): boolean {
  return one.family === other.family && one.table === other.table;
}

/** Looks into the older generation of iptables, whose rules nft does not show. */
async function findClosedLegacy(
  { disk, exec }: DoctorHost,
  own: string,
): Promise<ClosedChain | undefined> {
  // Asking iptables-legacy would create its table, so the kernel's list is read first.
  const tables = (await disk.read('/proc/net/ip_tables_names')) ?? '';
  if (!tables.split('\n').includes('filter')) return undefined;
  const text = await exec({
    program: 'iptables-legacy',
    args: ['-S'],
    doing: 'reading iptables',
  }).catch(() => '');
  if (findIptablesChain(text) === undefined || text.split(/\s/).includes(own)) return undefined;
  return { family: 'ip', table: legacyTable, name: 'FORWARD' };
}

const legacyTable = 'filter of iptables-legacy';

function findProduct({ chains }: NftRuleset, closed: ClosedChain, own: string) {
  const { family, table, name } = closed;
  const hasChain = (pattern: RegExp) =>
    chains.some((chain) => isInTable(chain, closed) && pattern.test(chain.name));
  const inBoth = (command: string, [from, to]: readonly [string, string], end = '') =>
    `sudo sh -c '${command} ${from} ${own}${end}; ${command} ${to} ${own}${end}'`;
  const insert = (program: string, chain: string) =>
    inBoth(`${program} -I ${chain}`, ['-i', '-o'], ' -j ACCEPT');
  if (table === legacyTable) return { name: 'iptables', fix: insert('iptables-legacy', 'FORWARD') };
  if (hasChain(/^DOCKER-USER$/)) return { name: 'Docker', fix: insert('iptables', 'DOCKER-USER') };
  if (hasChain(/^ufw6?-before-forward$/))
    return { name: 'ufw', fix: inBoth('ufw route allow', ['in on', 'out on']) };
  if (table === 'firewalld') {
    const trust = `sudo firewall-cmd --zone=trusted --add-interface=${own} --permanent`;
    return { name: 'firewalld', fix: `${trust} && sudo firewall-cmd --reload` };
  }
  const accept = (side: string) => `insert rule ${family} ${table} ${name} ${side} "${own}" accept`;
  return { name: 'another firewall', fix: `sudo nft '${accept('iifname')}; ${accept('oifname')}'` };
}
