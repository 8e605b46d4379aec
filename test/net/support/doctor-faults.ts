import type { CheckId } from '../../../src/doctor/checks.ts';
import type { Lab } from '../../../tools/lab/lab.ts';
import type { NastyScript } from '../../../tools/lab/nasty-service.ts';
import { addresses } from '../../../tools/lab/network.ts';

/**
 * One thing that is made wrong on the device, its way or its service, and what the doctor has to
 * say of it.
 */
export interface Fault {
  readonly name: string;
  readonly is: CheckId;
  readonly found: RegExp;
  /** `fail` by default. */
  readonly verdict?: 'warn' | 'fail';
  /**
   * On the doctor's command line alone: variables, and a script in a mount namespace of its own
   * before it starts.
   */
  readonly env?: Readonly<Record<string, string>>;
  readonly script?: string;
  /** On a host of the lab, and what takes it back. */
  readonly deed?: {
    readonly host: 'device' | 'home';
    readonly shell: string;
    readonly undo: string;
  };
  readonly nasty?: NastyScript;
  /** What the agent says once the fault has arrived; absent: it goes on providing. */
  readonly phase?: string;
  /** What the doctor says to type is typed, and fixes it; this takes that back. */
  readonly afterFix?: string;
  /** True where the agent is restarted with the fault in place. */
  readonly isFromStart?: boolean;
}

const json = { kind: 'status', status: 200, contentType: 'application/json' } as const;
const everything =
  'ip netns exec nsenter unshare node sh ip getent ping nft wg wireguard-go journalctl flock cat';

/** A path with every tool but these. */
function without(...missing: readonly string[]): string {
  const kept = everything.split(' ').filter((tool) => !missing.includes(tool));
  return `mkdir $private/tools && for tool in ${kept.join(' ')}; do
    found=$(command -v $tool) && ln -s "$found" $private/tools/$tool; done; PATH=$private/tools; export PATH`;
}

/**
 * Moves a copy of the state directory, with its contents, onto a small disk that is mounted in its
 * place.
 */
const copyState = (size: string, state: string) =>
  `cp -a ${state} $private/copy && mount -t tmpfs -o mode=700,size=${size} tmpfs ${state} && cp -a $private/copy/. ${state}/`;

/** A forward chain that drops, as another program makes it. */
function drops(table: string, ...more: readonly string[]) {
  const chain = 'chain FORWARD { type filter hook forward priority filter; policy drop; }';
  const [family, name] = table.split(' ');
  return {
    host: 'device',
    shell: `nft 'table ${table} { ${more.map((other) => `chain ${other} { }; `).join('')}${chain}; }'`,
    undo: `nft delete table ${family} ${name}`,
  } as const;
}

/** On the home router, between the device and everything else. */
const blocks = (match: string) =>
  ({
    host: 'home',
    shell: `nft 'table inet blocks { chain through { type filter hook forward priority -10; ${match} drop; }; }'`,
    undo: 'nft delete table inet blocks',
  }) as const;

export function listFaults(lab: Lab, tunnelAddress: string): readonly Fault[] {
  const state = lab.stateDirectory;
  return [
    {
      name: 'no tun device',
      is: 'tun',
      found: /net\/tun is missing/,
      script: 'mount -t tmpfs tmpfs /dev/net',
    },
    {
      name: 'a router that does not tell its public address',
      is: 'outside',
      verdict: 'warn',
      found: /your router \(192\.168\.77\.1\) does not tell your public address/,
      deed: {
        host: 'home',
        shell: `nft 'table inet silent { chain input { type filter hook input priority 0; udp dport 5351 drop; }; }'`,
        undo: 'nft delete table inet silent',
      },
    },
    { name: 'wg not installed', is: 'wireguard', found: /program wg/, script: without('wg') },
    { name: 'nft not installed', is: 'nft', found: /program nft/, script: without('nft') },
    {
      name: 'a clock behind',
      is: 'clock',
      found: /behind the service/,
      nasty: { date: new Date(Date.now() + 7_200_000).toUTCString() },
    },
    {
      name: 'no name server',
      is: 'dns',
      found: /tributary\.invalid has no address/,
      env: { TRIBUTARY_SERVICE_BASE_URL: 'http://tributary.invalid:8080' },
    },
    {
      name: 'a service that fails',
      is: 'service',
      found: /failed \(503\)/,
      nasty: { answers: { '*': { kind: 'status', status: 503, text: '' } } },
    },
    {
      name: 'nobody at the service’s address',
      is: 'service',
      found: /no connection/,
      env: { TRIBUTARY_SERVICE_BASE_URL: `http://${addresses.proxy}:9` },
    },
    {
      name: 'a sign-in page on the way',
      is: 'service',
      found: /captive portal/,
      nasty: {
        answers: {
          '*': {
            kind: 'status',
            status: 200,
            text: '<html>Welcome</html>',
            contentType: 'text/html',
          },
        },
      },
    },
    {
      name: 'a redirect on the way',
      is: 'service',
      found: /302/,
      nasty: { answers: { '*': { kind: 'redirect' } } },
    },
    {
      name: 'the wrong profile',
      is: 'profile',
      found: /speaks documented/,
      env: { TRIBUTARY_SERVICE_PROFILE: 'production' },
    },
    {
      name: 'a sign-in that was revoked',
      is: 'token',
      found: /no longer accepts/,
      nasty: {
        answers: { '/network/clients': { kind: 'status', status: 401, text: 'Not authorized' } },
      },
    },
    {
      name: 'no sign-in',
      is: 'token',
      found: /not signed in/,
      script: `${copyState('16m', state)}; rm ${state}/network-jwt.json`,
    },
    {
      name: 'a client that the service removed',
      is: 'client',
      found: /no longer lists/,
      nasty: { answers: { '/network/clients': { ...json, text: '{"clients":[]}' } } },
    },
    {
      name: 'a path too narrow for the packets',
      is: 'mtu',
      found: /do not reach .*; 1300 bytes do$/,
      deed: blocks('meta length > 1310'),
      afterFix: 'ip link set dev lan0 mtu 1500',
    },
    {
      name: 'no default route',
      is: 'uplink',
      found: /no default route/,
      deed: {
        host: 'device',
        shell: 'ip route delete default',
        undo: `ip route add default via ${addresses.homeLan}`,
      },
      phase: 'connecting',
    },
    {
      name: 'a home network with the tunnel’s addresses',
      is: 'collision',
      found: /in the network of lan0/,
      deed: {
        host: 'device',
        shell: `ip address add ${tunnelAddress}/24 dev lan0`,
        undo: `ip address delete ${tunnelAddress}/24 dev lan0`,
      },
      phase: 'blocked',
    },
    {
      name: 'Docker’s firewall',
      is: 'firewalls',
      found: /^Docker/,
      deed: {
        host: 'device',
        shell:
          'iptables -N DOCKER-USER && iptables -A DOCKER-USER -j RETURN && iptables -A FORWARD -j DOCKER-USER && iptables -P FORWARD DROP',
        undo: 'nft delete table ip filter',
      },
      afterFix: 'true',
    },
    {
      name: 'ufw’s firewall',
      is: 'firewalls',
      found: /^ufw/,
      deed: drops('ip filter', 'ufw-before-forward'),
    },
    {
      name: 'a firewall of the owner’s',
      is: 'firewalls',
      found: /^another firewall.*inet mine/,
      deed: drops('inet mine'),
      afterFix: 'true',
    },
    { name: 'a full disk', is: 'disk', found: /free/, script: copyState('1m', state) },
    {
      name: 'a state directory open to all',
      is: 'disk',
      found: /open to other users/,
      script: `${copyState('16m', state)}; chmod 755 ${state}`,
    },
    {
      name: 'a state directory of another user',
      is: 'disk',
      found: /may not write/,
      // Without root's power over files, as in a container, rights alone decide.
      script: `${copyState('16m', state)}; chmod 500 ${state}; set -- setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search "$@"`,
    },
    {
      name: 'a state file that is broken',
      is: 'disk',
      found: /identity\.json: it is not whole JSON/,
      script: `${copyState('16m', state)}; echo '{' >${state}/identity.json`,
    },
    {
      name: 'no memory left',
      is: 'memory',
      found: /available/,
      script:
        "printf 'MemTotal: 524288 kB\\nMemAvailable: 9000 kB\\nSwapFree: 0 kB\\n' >$private/meminfo && mount --bind $private/meminfo /proc/meminfo",
    },
    {
      name: 'nft rules that somebody flushes',
      is: 'forwarding',
      found: /nft|firewall|gateway|rules/i,
      // Without a pause: the agent puts the rules back once a second by then, and they are there
      // for a moment.
      deed: {
        host: 'device',
        shell: `(while [ ! -e ${lab.directory}/enough ]; do nft flush ruleset; done) >/dev/null 2>&1 & sleep 2`,
        undo: `touch ${lab.directory}/enough`,
      },
    },
    {
      name: 'no UDP to the outside',
      is: 'handshake',
      found: /never answered/,
      deed: blocks('meta l4proto udp'),
      isFromStart: true,
      phase: 'connecting',
    },
    {
      name: 'UDP that a firewall refuses',
      is: 'endpoint',
      found: /refused|EPERM|EHOSTUNREACH/,
      deed: {
        host: 'home',
        shell: `nft 'table inet blocks { chain through { type filter hook forward priority -10; meta l4proto udp reject; }; }'`,
        undo: 'nft delete table inet blocks',
      },
      isFromStart: true,
      phase: 'connecting',
    },
  ];
}
