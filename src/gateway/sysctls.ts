import { answerSeconds } from './ceilings.ts';
import type { GatewayLayout } from './policy.ts';

export interface DesiredSysctl {
  readonly path: string;
  readonly value: string;
  /** True where the setting outlives the tunnel interface and is put back at tear-down. */
  readonly isLasting: boolean;
  /**
   * True where less will do as well, and forwarding goes on where it cannot be set, as in many
   * containers.
   */
  readonly isOptional?: true;
}

/** Settings by path as they are now; undefined where this kernel has no such setting. */
export type ObservedSysctls = ReadonlyMap<string, string | undefined>;

/**
 * Seconds after which the kernel forgets a connection: what nobody answers, and what has died,
 * holds no place for long.
 */
const timeouts = [
  ['udp_timeout', 10],
  ['udp_timeout_stream', 30],
  ['tcp_timeout_syn_sent', answerSeconds],
  ['tcp_timeout_syn_recv', 2 * answerSeconds],
  // RFC 5382 asks for 7440 at least. Half of it: after an hour of silence, others need the place
  // more; usual are five days.
  ['tcp_timeout_established', 3600],
] as const;

/**
 * The settings that the policy needs, in the order in which they are set; `hasIpv6`: the tunnel
 * carries IPv6.
 */
export function listSysctls(
  policy: Pick<GatewayLayout, 'tunnelInterface' | 'uplink'>,
  { hasIpv6 }: { readonly hasIpv6: boolean },
): readonly DesiredSysctl[] {
  const { tunnelInterface, uplink } = policy;
  if (uplink === undefined) return [];
  return [
    // Of all and the interface's own the larger counts: 2 (loose) undoes a strict 1, which would
    // drop consumers' packets.
    { path: `net/ipv4/conf/${tunnelInterface}/rp_filter`, value: '2', isLasting: false },
    { path: `net/ipv4/conf/${tunnelInterface}/forwarding`, value: '1', isLasting: false },
    { path: `net/ipv4/conf/${uplink}/forwarding`, value: '1', isLasting: true },
    ...(hasIpv6
      ? [
          // Forwarding turns router advertisements off, and with them the uplink's own IPv6, unless
          // this says 2.
          { path: `net/ipv6/conf/${uplink}/accept_ra`, value: '2', isLasting: true },
          { path: 'net/ipv6/conf/all/forwarding', value: '1', isLasting: true },
        ]
      : []),
    ...timeouts.map(([name, seconds]) => ({
      path: `net/netfilter/nf_conntrack_${name}`,
      value: `${seconds}`,
      isLasting: true,
      isOptional: true as const,
    })),
  ];
}

/**
 * Those that have to be written. A missing setting is passed over (a kernel without IPv6), and
 * without the tunnel's own the optional ones.
 */
export function planSysctls(
  desired: readonly DesiredSysctl[],
  observed: ObservedSysctls,
): readonly DesiredSysctl[] {
  const hasTunnel = desired.some(
    ({ path, isLasting }) => !isLasting && observed.get(path) !== undefined,
  );
  return desired.filter((setting) => {
    const value = observed.get(setting.path);
    if (value === undefined || value === setting.value) return false;
    if (setting.isOptional) return hasTunnel && Number(value) > Number(setting.value);
    // A filter that is off (0) is as good as a loose one.
    return !(setting.path.endsWith('/rp_filter') && value === '0');
  });
}
