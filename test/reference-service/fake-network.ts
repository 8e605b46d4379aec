import { readFileSync } from 'node:fs';
import { SandboxError } from '../../src/reference-service/errors.ts';
import type { Exec } from '../../src/system/exec.ts';

interface FakePeer {
  allowedIps: readonly string[];
  /** Unix seconds; 0 for none. */
  handshakeAt: number;
  rxBytes: number;
}

interface FakeLink {
  publicKey: string;
  port: number;
  isUp: boolean;
  readonly peers: Map<string, FakePeer>;
}

/**
 * A machine that understands the `ip`, `wg` and `wireguard-go` command lines of the service, and
 * keeps what they did.
 */
export interface FakeNetwork {
  readonly exec: Exec;
  readonly links: Map<string, FakeLink>;
  /** `ip rule` and `ip route` lines of both families, as they were typed. */
  readonly lines: Set<string>;
  /** Programs that are not installed. */
  readonly missing: Set<string>;
  /** Command lines whose beginning is here fail. */
  readonly failing: Set<string>;
  /** True: what fails takes effect all the same, as a program does that is ended too late. */
  failsLate: boolean;
  hasKernelWireGuard: boolean;
  /** Every command line, in order. */
  readonly ran: string[];
}

/** A fake machine; `publicKeyOf` stands for the arithmetic of WireGuard. */
export function createFakeNetwork(publicKeyOf: (privateKey: string) => string): FakeNetwork {
  const network: FakeNetwork = {
    links: new Map(),
    lines: new Set(),
    missing: new Set(),
    failing: new Set(),
    failsLate: false,
    hasKernelWireGuard: true,
    ran: [],
    exec: async ({ program, args, doing }) => {
      const line = [program, ...args].join(' ');
      network.ran.push(line);
      if (network.missing.has(program))
        throw new SandboxError('missing-program', `${doing}: no ${program}`);
      const fails = [...network.failing].some((start) => line.startsWith(start));
      const output =
        fails && !network.failsLate ? undefined : run(network, line.split(' '), publicKeyOf);
      if (output === undefined || fails)
        throw new SandboxError('command-failed', `${doing}: ${line} failed`);
      return output;
    },
  };
  return network;
}

function run(
  network: FakeNetwork,
  words: readonly string[],
  publicKeyOf: (key: string) => string,
): string | undefined {
  const [program, ...args] = words;
  if (program === 'wireguard-go') return addLink(network, args[0] ?? '');
  if (program === 'ip') return runIp(network, args);
  const [verb, name = '', ...rest] = args;
  const link = network.links.get(name);
  if (program !== 'wg' || link === undefined) return undefined;
  if (verb === 'show') return show(link, rest[0]);
  if (rest[0] === 'listen-port') {
    link.port = Number(rest[1]);
    link.publicKey = publicKeyOf(readFileSync(rest[3] ?? '', 'utf8'));
    return '';
  }
  for (let index = 0; index < rest.length; index += 4)
    setPeer(link, rest[index + 1] ?? '', rest[index + 3] ?? '');
  return '';
}

function show(link: FakeLink, what: string | undefined): string | undefined {
  const peers = [...link.peers];
  if (what === 'public-key') return `${link.publicKey}\n`;
  const rows = peers.map(
    ([key, { allowedIps, handshakeAt, rxBytes }]) =>
      `${[key, '(none)', '(none)', allowedIps.join(',') || '(none)', handshakeAt, rxBytes, 0, 'off'].join('\t')}\n`,
  );
  if (what === 'dump')
    return `${['OWNSECRET=', link.publicKey, link.port, 'off'].join('\t')}\n${rows.join('')}`;
  return undefined;
}

function runIp(network: FakeNetwork, args: readonly string[]): string | undefined {
  const line = args.join(' ');
  if (line.includes('address show')) {
    return JSON.stringify(
      [...network.links.keys()].map((ifname, ifindex) => ({ ifname, ifindex })),
    );
  }
  if (line.startsWith('link add'))
    return network.hasKernelWireGuard ? addLink(network, args[2] ?? '') : undefined;
  const link = network.links.get(args[2] ?? '');
  if (line.startsWith('link set') && link !== undefined) {
    link.isUp = true;
    return '';
  }
  if (line.startsWith('link del')) return network.links.delete(args[2] ?? '') ? '' : undefined;
  return runRouting(network, args);
}

function runRouting(network: FakeNetwork, args: readonly string[]): string | undefined {
  const [first = '', ...rest] = args;
  const [family, object, verb, ...more] = first === '-j' ? rest : args;
  const line = `${family} ${object} ${more.join(' ')}`;
  if (object === 'rule' && verb === 'show') {
    const rules = [...network.lines]
      .filter((text) => text.startsWith(`${family} rule`))
      .map((text) => text.split(' '));
    return JSON.stringify(
      rules.map((words) => ({ priority: Number(words[3]), iif: words[5], table: words[7] })),
    );
  }
  if (verb === 'add' || verb === 'replace') network.lines.add(line);
  else if (verb === 'del') return network.lines.delete(line) ? '' : undefined;
  else if (verb === 'flush') {
    for (const text of network.lines)
      if (text.startsWith(`${family} route`)) network.lines.delete(text);
  } else return undefined;
  return '';
}

function addLink(network: FakeNetwork, name: string): string | undefined {
  if (network.links.has(name)) return undefined;
  network.links.set(name, { publicKey: '(none)', port: 0, isUp: false, peers: new Map() });
  return '';
}

function setPeer(link: FakeLink, key: string, list: string): void {
  const given = list.split(',');
  for (const peer of link.peers.values())
    peer.allowedIps = peer.allowedIps.filter((ip) => !given.includes(ip));
  link.peers.set(key, { handshakeAt: 0, rxBytes: 0, ...link.peers.get(key), allowedIps: given });
}
