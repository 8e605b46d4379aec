import { TributaryError } from '../../../src/errors/codes.ts';
import { deniedTableName } from '../../../src/gateway/policy.ts';
import { Secret } from '../../../src/lib/secret.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { toPublicKey } from '../../../src/system/wireguard-keys.ts';
import { createFakeTable, type FakeTable } from './fake-table.ts';

type Command = Parameters<Exec>[0];

interface FakeLink {
  kind: string | undefined;
  isUp: boolean;
  mtu: number;
  addresses: string[];
  /** What `wg syncconf` was given. */
  configuration: string;
  /** What WireGuard counted with the peer; absent: nothing yet. */
  traffic?: {
    readonly lastHandshakeAt: number;
    readonly rxBytes: number;
    readonly txBytes: number;
  };
}

/** A machine that understands the command lines of the data path, and prints its state as text. */
export interface FakeHost {
  readonly exec: Exec;
  readonly links: Map<string, FakeLink>;
  hasKernelWireGuard: boolean;
  /** Everything as it is, one line for each thing, sorted. */
  print(): string;
  /** How many changes took effect so far. */
  changes(): number;
  /**
   * Packets of consumers pass, or are refused: the kernel counts them where the agent has its
   * table.
   */
  count(counter: string, packets: number, bytes: number): void;
  /** From now on so many changes take effect, and the next one fails; undefined: none does. */
  breakAfterLines(lines: number | undefined): void;
}

/**
 * `routing` as it is printed: `4 route default dev eth0 table main`, `4 rule 100 iif eth9 lookup
 * 52`.
 */
export function createFakeHost(routing: readonly string[] = []): FakeHost {
  const lines = new Set(routing);
  const links = new Map<string, FakeLink>();
  const table = createFakeTable();
  const denied = createFakeTable();
  let left: number | undefined;
  let changes = 0;
  const change = (doing: string, act: () => void) => {
    if (left === 0)
      throw new TributaryError('command-failed', `${doing}: the fake host breaks here`);
    if (left !== undefined) left -= 1;
    act();
    changes += 1;
    return '';
  };
  const host: FakeHost = {
    links,
    hasKernelWireGuard: true,
    changes: () => changes,
    count: (counter, packets, bytes) => table.count(counter, packets, bytes),
    breakAfterLines: (count) => {
      left = count;
    },
    print: () => {
      const shown = [...links].map(([name, link]) => `link ${name} ${JSON.stringify(link)}`);
      return `${[...lines, ...shown, ...table.print(), ...denied.print().map((line) => `denied ${line}`)].sort().join('\n')}\n`;
    },
    async exec(command) {
      if (command.program === 'nft') return runNft(command);
      if (command.program === 'wg') return runWireGuard(command);
      if (command.program === 'ip') return runIp(command);
      throw new TributaryError('missing-program', `${command.doing}: no ${command.program}`);
    },
  };
  const runNft = ({ args, doing, input = '' }: Command) =>
    args[0] === '-f'
      ? change(doing, () => (input.includes(deniedTableName) ? denied : table).apply(input))
      : args.includes('chains')
        ? JSON.stringify({ nftables: denied.print().length === 0 ? [] : [deniedRow] })
        : args.includes('ruleset')
          ? listOutline(denied)
          : table.list();
  const runWireGuard = ({ args: [verb, name = '', rest = ''], doing, input = '' }: Command) => {
    if (verb === 'show') return showWireGuard(links.get(name), rest);
    return change(doing, () => {
      linkOf(links, name).configuration = input;
    });
  };
  const runIp = ({ args, doing, input = '' }: Command) => {
    const [first = '', second] = args;
    if (first === '-j' && args.includes('address'))
      return JSON.stringify([...links].map(createLinkRow));
    if (first === '-j') return askRouting(lines, args);
    // The uplink is no link of this host's, and is there all the same.
    if (second === 'show') return '';
    if (second !== '-batch') {
      return change(doing, () =>
        first === 'address'
          ? changeAddress(links, args)
          : first === 'tuntap'
            ? addTun(links, args)
            : changeLink(host, args),
      );
    }
    for (const line of input.trim().split('\n'))
      change(doing, () => changeRouting(lines, first.slice(1), line));
    return '';
  };
  return host;
}

const deniedRow = { chain: { family: 'inet', table: deniedTableName, name: 'arrival' } };

/** As `nft --terse list ruleset` prints it, with the one table that this is asked for. */
function listOutline(table: FakeTable): string {
  if (table.print().length === 0) return '{"nftables":[]}';
  const rows = (
    JSON.parse(table.list()) as { readonly nftables: readonly Record<string, object>[] }
  ).nftables;
  const named = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([kind, about]) => [
        kind,
        { ...about, elem: undefined, family: 'inet', table: deniedTableName },
      ]),
    ),
  );
  return JSON.stringify({ nftables: named });
}

function linkOf(links: ReadonlyMap<string, FakeLink>, name: string): FakeLink {
  const link = links.get(name);
  if (link === undefined) throw new TributaryError('command-failed', `no link ${name}`);
  return link;
}

function changeRouting(lines: Set<string>, family: string, line: string): void {
  const [, object, verb, rest = ''] = /^(route|rule) (\w+) (.*)$/.exec(line) ?? [];
  const own =
    object === 'rule'
      ? `${family} rule ${rest.replace('priority ', '')}`
      : `${family} route ${rest}`;
  const fails = verb === 'delete' ? !lines.delete(own) : verb === 'add' && lines.has(own);
  if (fails) throw new TributaryError('command-failed', `ip -${family} ${line}: no`);
  if (verb !== 'delete') lines.add(own);
}

function changeAddress(
  links: ReadonlyMap<string, FakeLink>,
  [, verb, prefix = '', , name = '']: Command['args'],
): void {
  const link = linkOf(links, name);
  const address = prefix.replace(/\/.*$/, '');
  if (link.addresses.includes(address) === (verb === 'add')) {
    throw new TributaryError('command-failed', `address ${verb} ${address}: no`);
  }
  link.addresses =
    verb === 'add' ? [...link.addresses, address] : link.addresses.filter((own) => own !== address);
}

/** `ip tuntap add dev NAME mode tun` */
function addTun(links: FakeHost['links'], [, , , name = '']: Command['args']): void {
  if (links.has(name)) throw new TributaryError('command-failed', `tuntap add ${name}: no`);
  links.set(name, { kind: 'tun', isUp: false, mtu: 1500, addresses: [], configuration: '' });
}

function changeLink(
  { links, hasKernelWireGuard }: FakeHost,
  [, verb, name = '', what, value]: Command['args'],
): void {
  if (value === 'ifb') throw new TributaryError('command-failed', 'this kernel has no such device');
  if (verb === 'add') {
    if (!hasKernelWireGuard || links.has(name))
      throw new TributaryError('command-failed', `link add ${name}: no`);
    links.set(name, {
      kind: 'wireguard',
      isUp: false,
      mtu: 1420,
      addresses: [],
      configuration: '',
    });
    return;
  }
  const link = linkOf(links, name);
  if (verb === 'delete') links.delete(name);
  else if (what === 'name') {
    links.delete(name);
    links.set(value ?? '', link);
  } else if (what === 'mtu') link.mtu = Number(value);
  else link.isUp = what === 'up';
}

function listRouting(lines: ReadonlySet<string>, family: string, kind: string): string {
  const own = [...lines]
    .filter((line) => line.startsWith(`${family} ${kind} `))
    .map((line) => line.split(' ').slice(2));
  return JSON.stringify(
    own.map((words) => (kind === 'rule' ? parseRuleRow(words) : parseRouteRow(words))),
  );
}

function askRouting(lines: ReadonlySet<string>, args: readonly string[]): string {
  const ask = args.includes('get') ? findWay : listRouting;
  return ask(lines, args[1]?.slice(1) ?? '', args[2] ?? '');
}

/** As `ip route get` answers where nothing but main's default route decides. */
function findWay(lines: ReadonlySet<string>, family: string): string {
  const start = `${family} route default `;
  const words = [...lines].filter((line) => line.startsWith(start)).map((line) => line.split(' '));
  const row = words
    .map((own) => parseRouteRow(own.slice(2)))
    .find(({ table }) => table === undefined);
  if (row === undefined) throw new TributaryError('command-failed', 'there is no way');
  return JSON.stringify([{ ...row, dst: '12.34.56.78' }]);
}

function parseRuleRow([priority, ...words]: readonly string[]) {
  const after = (word: string) =>
    words.includes(word) ? words[words.indexOf(word) + 1] : undefined;
  return {
    priority: Number(priority),
    iif: after('iif'),
    dst: after('to'),
    table: after('lookup'),
  };
}

function parseRouteRow(words: readonly string[]) {
  const type = words[0] === 'blackhole' || words[0] === 'throw' ? words[0] : undefined;
  const [dst = '', ...rest] = type === undefined ? words : words.slice(1);
  const after = (word: string) => (rest.includes(word) ? rest[rest.indexOf(word) + 1] : undefined);
  // The kernel says of a blackhole of IPv6 that it leads to lo, and leaves out the main table's
  // name.
  const table = after('table') === 'main' ? undefined : after('table');
  return { type, dst, dev: after('dev') ?? (dst.includes(':') ? 'lo' : undefined), table };
}

function createLinkRow([ifname, link]: [string, FakeLink], index: number) {
  return {
    ifindex: index + 1,
    ifname,
    flags: link.isUp ? ['UP'] : [],
    mtu: link.mtu,
    linkinfo: link.kind === undefined ? {} : { info_kind: link.kind },
    addr_info: link.addresses.map((local) => ({
      family: local.includes(':') ? 'inet6' : 'inet',
      local,
      prefixlen: link.kind === undefined ? 24 : local.includes(':') ? 128 : 32,
    })),
  };
}

function showWireGuard(link: FakeLink | undefined, what: string): string {
  if (link?.kind !== 'wireguard')
    throw new TributaryError('command-failed', 'no such WireGuard interface');
  if (what !== 'dump')
    throw new TributaryError('command-failed', `wg show ${what} is not known here`);
  const value = (key: string) => new RegExp(`^${key} = (.*)$`, 'm').exec(link.configuration)?.[1];
  const [privateKey, peer] = [value('PrivateKey'), value('PublicKey')];
  const publicKey = privateKey === undefined ? '(none)' : toPublicKey(new Secret(privateKey));
  const own = `${[privateKey ?? '(none)', publicKey, 51820, 'off'].join('\t')}\n`;
  if (peer === undefined) return own;
  const { lastHandshakeAt = 0, rxBytes = 0, txBytes = 0 } = link.traffic ?? {};
  const allowedIps = value('AllowedIPs')?.split(', ').join(',');
  const keepalive = value('PersistentKeepalive');
  const counted = [lastHandshakeAt, rxBytes, txBytes, keepalive === '0' ? 'off' : keepalive];
  return `${own}${[peer, '(none)', value('Endpoint'), allowedIps, ...counted].join('\t')}\n`;
}
