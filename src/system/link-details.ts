/** What a TUN device was made with, beside what every interface has. */
interface TunSettings {
  /** Whether packets come with a header of virtio. */
  readonly hasVnetHeader: boolean;
  /** Who may attach to it, by name, or by number where the system has no name; absent for root. */
  readonly user: string | undefined;
  /** Packets that wait for its program; undefined where `ip` does not say it. */
  readonly queueLength: number | undefined;
}

/** The settings of a TUN device; nothing for another interface. */
export function toTun(row: {
  readonly txqlen?: number | undefined;
  readonly linkinfo?:
    | {
        readonly info_kind?: string | undefined;
        readonly info_data?:
          | { readonly vnet_hdr?: boolean | undefined; readonly user?: string | number | undefined }
          | undefined;
      }
    | undefined;
}): { readonly tun?: TunSettings } {
  if (row.linkinfo?.info_kind !== 'tun') return {};
  const { vnet_hdr: hasVnetHeader = false, user } = row.linkinfo.info_data ?? {};
  const named = user === undefined ? undefined : String(user);
  return { tun: { hasVnetHeader, user: named, queueLength: row.txqlen } };
}

/** The far end of a tunnel; nothing for another interface, and for a tunnel without one. */
export function toTunnelEnd(remote: string | undefined): { readonly tunnelEnd?: string } {
  return remote === undefined || remote === '' ? {} : { tunnelEnd: remote };
}
