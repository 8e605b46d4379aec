import { isIPv4 } from 'node:net';
import type { WaysOut } from '../config/recipients.ts';
import { renderNewCount } from '../gateway/ceilings.ts';
import { specialPrefixes } from '../gateway/policy.ts';
import { listBarePortMatches } from '../gateway/ports.ts';
import { parsePrefix } from '../lib/addresses.ts';
import { hostSide, hostTableName, type Link } from './plan.ts';

/** What the host's side of the fence depends on. */
export interface HostPolicy extends Omit<WaysOut, 'totalConnections'> {
  readonly link: Link;
  /** undefined: the host has none now, and nothing passes. */
  readonly uplink: string | undefined;
  readonly ownPrefixes: readonly string[];
  readonly nameServers: readonly string[];
  /** Connections out of the namespace that the host tracks at most; 0: no ceiling. */
  readonly connections: number;
  /** True where forwarding was off on the uplink before: then nothing but the namespace may use it. */
  readonly isForwardingOurs: boolean;
}

/** The host's one small table, whole, in one transaction: the second fence, which holds when the namespace's own is gone. */
export function renderHostRuleset(policy: HostPolicy): string {
  const { link, uplink } = policy;
  const inner = `"${hostSide}"`;
  const servers = policy.nameServers.filter(isIPv4);
  const allowed = policy.allowDestinations.filter((prefix) => parsePrefix(prefix)?.family === 4);
  const own = policy.ownPrefixes.filter((prefix) => parsePrefix(prefix)?.family === 4);
  // Through the host and to the host itself.
  const everywhere = [
    ...(servers.length === 0
      ? []
      : [`ip daddr { ${servers.join(', ')} } meta l4proto { tcp, udp } th dport 53 accept`]),
    ...policy.recipients.map(
      ({ address, port }) => `ip saddr ${link.namespaceAddress} ip daddr ${address} tcp dport ${port} accept`,
    ),
  ];
  const accepted = [
    ...everywhere.map((rule) => `    ${rule}`),
    ...listBarePortMatches(policy.blockedPorts).map(({ match }) => `    ${match} drop`),
    ...(policy.connections === 0 ? [] : [`    ${renderNewCount('connections', policy.connections)} drop`]),
    ...(allowed.length === 0 ? [] : [`    ip daddr { ${allowed.join(', ')} } accept`]),
    ...(own.length === 0 ? [] : [`    ip daddr { ${own.join(', ')} } drop`]),
    `    ip daddr { ${specialPrefixes.v4.join(', ')} } drop`,
    `    oifname "${uplink}" accept`,
  ];
  // A connection that once left untranslated stays so, also when there is an uplink: without one nothing leaves at all.
  const wayOut = uplink === undefined ? [] : accepted;
  return `${[
    `table inet ${hostTableName}`,
    `delete table inet ${hostTableName}`,
    `table inet ${hostTableName} {`,
    ...(policy.connections === 0 ? [] : ['  set connections { type mark; size 4096; flags dynamic; }']),
    '  chain forward {',
    '    type filter hook forward priority filter; policy accept;',
    `    iifname ${inner} goto from_namespace`,
    `    oifname ${inner} ct state established,related accept`,
    `    oifname ${inner} drop`,
    // The host did not route before; that it does so now is for the namespace alone.
    ...(uplink !== undefined && policy.isForwardingOurs ? [`    iifname "${uplink}" oifname "${uplink}" drop`] : []),
    '  }',
    '  chain from_namespace {',
    // Without the namespace's own rules consumers' packets come with addresses of their own: they end here.
    `    ip saddr != ${link.namespaceAddress} drop`,
    '    meta nfproto ipv6 drop',
    ...wayOut,
    '    drop',
    '  }',
    '  chain input {',
    '    type filter hook input priority filter; policy accept;',
    `    iifname ${inner} ct state established,related accept`,
    ...everywhere.map((rule) => `    iifname ${inner} ${rule}`),
    `    iifname ${inner} drop`,
    '  }',
    '  chain translate {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    ...(uplink === undefined ? [] : [`    ip saddr ${link.namespaceAddress} oifname "${uplink}" masquerade`]),
    '  }',
    '}',
  ].join('\n')}\n`;
}
