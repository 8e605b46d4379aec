import { readFileSync } from 'node:fs';
import { TributaryError } from '../../../src/lib/errors.ts';
import { Secret } from '../../../src/lib/secret.ts';
import type { Command, Exec } from '../../../src/system/exec.ts';
import { toPublicKey } from '../../../src/tunnel/keys.ts';
import { createFakeTable } from './fake-table.ts';

interface FakeLink {
  kind: string | undefined;
  isUp: boolean;
  mtu: number;
  addresses: string[];
  /** What `wg syncconf` was given. */
  configuration: string;
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
  /** From now on so many changes take effect, and the next one fails; undefined: none does. */
  breakAfterLines(lines: number | undefined): void;
}

/** `routing` as it is printed: `4 route default dev eth0 table main`, `4 rule 100 iif eth9 lookup 52`. */
export function createFakeHost(routing: readonly string[] = []): FakeHost {
  const lines = new Set(routing);
  const links = new Map<string, FakeLink>();
  const table = createFakeTable();
  let left: number | undefined;
  let changes = 0;
  const change = (doing: string, act: () => void) => {
    if (left === 0) throw new TributaryError('command-failed', `${doing}: the fake host breaks here`);
    if (left !== undefined) left -= 1;
    act();
    changes += 1;
    return '';
  };
  const host: FakeHost = {
    links,
    hasKernelWireGuard: true,
    changes: () => changes,
    breakAfterLines: (count) => {
      left = count;
    },
    print: () =>
      `${[...lines, ...[...links].map(([name, link]) => `link ${name} ${JSON.stringify(link)}`), ...table.print()]
        .sort()
        .join('\n')}\n`,
    async exec(command) {
      const { program, args, doing } = command;
      if (program === 'nft' && args[0] === '-j') return table.list();
      if (program === 'nft') return change(doing, () => table.apply(command.input ?? ''));
      if (program === 'wg' && args[0] === 'show') return showWireGuard(links.get(args[1] ?? ''), args[2] ?? '');
      if (program === 'wg' && args[0] === 'syncconf') {
        return change(doing, () => void (linkOf(args[1]).configuration = readFileSync(args[2] ?? '', 'utf8')));
      }
      if (program === 'ip' && args[0] === '-j') return listIp(args);
      if (program === 'ip' && args[1] === '-batch') {
        const family = args[0]?.slice(1) ?? '';
        for (const line of (command.input ?? '').trim().split('\n')) change(doing, () => runRouting(family, line));
        return '';
      }
      if (program === 'ip') return change(doing, () => runLink(command));
      throw new TributaryError('missing-program', `${doing}: no ${program}`);
    },
  };
  const linkOf = (name: string | undefined): FakeLink => {
    const link = links.get(name ?? '');
    if (link === undefined) throw new TributaryError('command-failed', `no link ${name}`);
    return link;
  };
  const runRouting = (family: string, line: string) => {
    const [, object, verb, rest = ''] = /^(route|rule) (\w+) (.*)$/.exec(line) ?? [];
    const own = object === 'rule' ? `${family} rule ${rest.replace('priority ', '')}` : `${family} route ${rest}`;
    if (verb === 'delete' ? !lines.delete(own) : verb === 'add' && lines.has(own)) {
      throw new TributaryError('command-failed', `ip -${family} ${line}: no`);
    }
    if (verb !== 'delete') lines.add(own);
  };
  const runLink = ({ args, doing }: Command) => {
    const [object, verb, name = '', ...rest] = args;
    if (object === 'address') {
      const link = linkOf(rest[1]);
      const address = name.replace(/\/.*$/, '');
      if (link.addresses.includes(address) === (verb === 'add')) throw new TributaryError('command-failed', doing);
      link.addresses = verb === 'add' ? [...link.addresses, address] : link.addresses.filter((own) => own !== address);
    } else if (verb === 'add') {
      if (!host.hasKernelWireGuard || links.has(name)) throw new TributaryError('command-failed', doing);
      links.set(name, { kind: 'wireguard', isUp: false, mtu: 1420, addresses: [], configuration: '' });
    } else if (verb === 'delete') {
      linkOf(name);
      links.delete(name);
    } else if (rest[0] === 'mtu') linkOf(name).mtu = Number(rest[1]);
    else linkOf(name).isUp = rest[0] === 'up';
  };
  const listIp = (args: readonly string[]) => {
    if (args.includes('address')) return JSON.stringify([...links].map(toLinkRow));
    const family = args[1]?.slice(1);
    const kind = args[2];
    const own = [...lines]
      .filter((line) => line.startsWith(`${family} ${kind} `))
      .map((line) => line.split(' ').slice(2));
    return JSON.stringify(own.map(kind === 'rule' ? toRuleRow : toRouteRow));
  };
  return host;
}

function toRuleRow([priority, , iif, , table]: readonly string[]) {
  return { priority: Number(priority), iif, table };
}

function toRouteRow(words: readonly string[]) {
  const type = words[0] === 'blackhole' || words[0] === 'throw' ? words[0] : undefined;
  const [dst = '', ...rest] = type === undefined ? words : words.slice(1);
  const after = (word: string) => (rest.includes(word) ? rest[rest.indexOf(word) + 1] : undefined);
  // The kernel says of a blackhole of IPv6 that it leads to lo, and leaves out the main table's name.
  const table = after('table') === 'main' ? undefined : after('table');
  return { type, dst, dev: after('dev') ?? (dst.includes(':') ? 'lo' : undefined), table };
}

function toLinkRow([ifname, link]: [string, FakeLink], index: number) {
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
  if (link?.kind !== 'wireguard') throw new TributaryError('command-failed', 'no such WireGuard interface');
  const value = (key: string) => new RegExp(`^${key} = (.*)$`, 'm').exec(link.configuration)?.[1];
  const [privateKey, peer] = [value('PrivateKey'), value('PublicKey')];
  if (what === 'public-key') return `${privateKey === undefined ? '(none)' : toPublicKey(new Secret(privateKey))}\n`;
  if (peer === undefined) return '';
  if (what === 'endpoints') return `${peer}\t${value('Endpoint')}\n`;
  if (what === 'allowed-ips') return `${peer}\t${value('AllowedIPs')?.split(', ').join(' ')}\n`;
  const keepalive = value('PersistentKeepalive');
  return `${peer}\t${keepalive === '0' ? 'off' : keepalive}\n`;
}
