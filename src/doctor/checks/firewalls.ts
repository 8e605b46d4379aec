import { tableName } from '../../gateway/policy.ts';
import { findIptablesChain } from '../../namespace/iptables-chain.ts';
import { hostSide, hostTableName } from '../../namespace/plan.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';
import { insideAsRoot } from '../inside-as-root.ts';
import { type NftChain, parseNftText } from '../parse-nft-text.ts';

/** A packet passes only where every table lets it: another program's that drops what is forwarded stops the agent's. */
export async function lookAtFirewalls(doors: DoctorDoors) {
  const place = await doors.place();
  if (place.kind === 'host' && place.inside === undefined) return skip("the agent's namespace is not there yet");
  await insideAsRoot(doors);
  const own = place.kind === 'host' ? hostSide : (await doors.configuration()).config.tunnel.interface;
  const args = ['-t', 'list', 'ruleset'];
  const chains = parseNftText(await doors.exec({ program: 'nft', args, doing: 'reading the firewall' }));
  const closed = findClosed(chains, own) ?? (await findClosedLegacy(doors, own));
  if (closed === undefined) return pass('none that drops what is forwarded');
  const { name, toMend } = products.find(({ isIt }) => isIt(chains, closed)) ?? stranger;
  const where = `${closed.family} ${closed.table}, chain ${closed.name}`;
  return fail(`${name} drops what is forwarded (${where})`, place.kind === 'host' ? mendOnHost : toMend(own, closed));
}

/** Puts an exception into each firewall of the host, where its maker leaves room for the owner's. */
const mendOnHost = 'sudo tributary namespace up';

/** The first chain of another program that ends forwarded packets and names no way through for ours. */
function findClosed(chains: readonly NftChain[], own: string): NftChain | undefined {
  return chains
    .filter(({ table }) => table !== tableName && table !== hostTableName)
    .filter(({ family }) => family === 'ip' || family === 'inet')
    .filter(({ hook }) => hook?.includes('hook forward') === true)
    .filter((chain) => chain.hook?.includes('policy drop') === true || isEnd(chain.rules.at(-1)))
    .find(({ family, table }) => {
      const rules = chains.filter((chain) => chain.family === family && chain.table === table);
      return !rules.some((chain) =>
        chain.rules.some((rule) => rule.includes(`"${own}"`) && !/\b(drop|reject)\b/.test(rule)),
      );
    });
}

/** The first generation of iptables, whose rules nft does not show. */
async function findClosedLegacy({ disk, exec }: DoctorDoors, own: string): Promise<NftChain | undefined> {
  // Asking it would make its table where there is none.
  const tables = (await disk.read('/proc/net/ip_tables_names')) ?? '';
  if (!tables.split('\n').includes('filter')) return undefined;
  const text = await exec({ program: 'iptables-legacy', args: ['-S'], doing: 'reading iptables' }).catch(() => '');
  if (findIptablesChain(text) === undefined || text.split(/\s/).includes(own)) return undefined;
  return { family: 'ip', table: legacyTable, name: 'FORWARD', hook: undefined, rules: [] };
}

const legacyTable = 'filter of iptables-legacy';

function isEnd(rule = ''): boolean {
  return /^(counter packets \d+ bytes \d+ )?(drop|reject\b.*?)( comment ".*")?$/.test(rule);
}

interface Product {
  readonly name: string;
  readonly toMend: (own: string, chain: NftChain) => string;
}

/** By what each makes; the first that fits. */
const products: readonly (Product & {
  readonly isIt: (chains: readonly NftChain[], closed: NftChain) => boolean;
})[] = [
  {
    name: 'iptables',
    isIt: (_, { table }) => table === legacyTable,
    toMend: (own) =>
      `sudo sh -c 'iptables-legacy -I FORWARD -i ${own} -j ACCEPT; iptables-legacy -I FORWARD -o ${own} -j ACCEPT'`,
  },
  {
    name: 'Docker',
    isIt: (chains, { family, table }) => has(chains, family, table, /^DOCKER-USER$/),
    toMend: (own) =>
      `sudo sh -c 'iptables -I DOCKER-USER -i ${own} -j ACCEPT; iptables -I DOCKER-USER -o ${own} -j ACCEPT'`,
  },
  {
    name: 'ufw',
    isIt: (chains, { family, table }) => has(chains, family, table, /^ufw6?-before-forward$/),
    toMend: (own) => `sudo sh -c 'ufw route allow in on ${own}; ufw route allow out on ${own}'`,
  },
  {
    name: 'firewalld',
    isIt: (_, { table }) => table === 'firewalld',
    toMend: (own) =>
      `sudo firewall-cmd --zone=trusted --add-interface=${own} --permanent && sudo firewall-cmd --reload`,
  },
];

const stranger: Product = {
  name: 'another firewall',
  toMend: (own, { family, table, name }) => {
    const insert = (side: string) => `insert rule ${family} ${table} ${name} ${side} "${own}" accept`;
    return `sudo nft '${insert('iifname')}; ${insert('oifname')}'`;
  },
};

function has(chains: readonly NftChain[], family: string, table: string, name: RegExp): boolean {
  return chains.some((chain) => chain.family === family && chain.table === table && name.test(chain.name));
}
