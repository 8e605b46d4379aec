import { connectionSeconds } from './ceilings.ts';
import type { GatewayLayout } from './policy.ts';

export interface DesiredSysctl {
  readonly path: string;
  readonly value: string;
  /** True where the setting outlives the tunnel interface and is restored at tear-down. */
  readonly isLasting: boolean;
  /** True where forwarding can go on without the setting, because many containers cannot set it. */
  readonly isOptional?: true;
}

/** The present values by path; undefined where this kernel has no such setting. */
export type ObservedSysctls = ReadonlyMap<string, string | undefined>;

const timeouts = [
  ['udp_timeout', connectionSeconds.udp.unreplied],
  ['udp_timeout_stream', connectionSeconds.udp.replied],
  ...Object.entries(connectionSeconds.tcp).map(
    ([state, seconds]) => [`tcp_timeout_${state}`, seconds] as const,
  ),
] as const;

/**
 * The settings that the policy needs, in the order in which they are set; `hasIpv6`: one of
 * the sources carries IPv6.
 */
export function listSysctls(
  policy: Pick<GatewayLayout, 'devices' | 'uplink'>,
  { hasIpv6 }: { readonly hasIpv6: boolean },
): readonly DesiredSysctl[] {
  const { devices, uplink } = policy;
  if (uplink === undefined) return [];
  return [
    // The kernel takes the larger of this value and the one for all interfaces. 2 (loose) therefore
    // undoes a strict 1, which would drop consumers' packets.
    ...devices.flatMap(({ name }) => [
      { path: `net/ipv4/conf/${name}/rp_filter`, value: '2', isLasting: false },
      { path: `net/ipv4/conf/${name}/forwarding`, value: '1', isLasting: false },
    ]),
    { path: `net/ipv4/conf/${uplink}/forwarding`, value: '1', isLasting: true },
    ...(hasIpv6
      ? [
          // Forwarding turns router advertisements off, and with them the uplink's own IPv6, unless
          // this is 2.
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
 * The settings that have to be written. Settings that this kernel lacks are left out, and without
 * the tunnel's interface the optional ones too.
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
    // A filter that is off (0) serves as well as a loose one.
    return !(setting.path.endsWith('/rp_filter') && value === '0');
  });
}
