import { parsePrefix, toNetwork } from '../lib/addresses.ts';
import type { WireGuardPeer } from '../system/wg.ts';
import { defaultMtu } from './spec.ts';
import type { Backend, DesiredTunnel, ObservedTunnel } from './state.ts';

/** One change to the tunnel. A list of them may be cut short anywhere: the next plan goes on from what it finds. */
export type TunnelStep =
  | { readonly kind: 'delete-link' }
  | { readonly kind: 'create-link'; readonly backend: Backend | 'auto' }
  | { readonly kind: 'configure' }
  | { readonly kind: 'add-address'; readonly address: string }
  | { readonly kind: 'remove-address'; readonly address: string }
  | { readonly kind: 'set-mtu'; readonly mtu: number }
  | { readonly kind: 'set-up' };

/** What changes the observed tunnel into the desired one; nothing when it is that already. */
export function planTunnel(desired: DesiredTunnel, observed: ObservedTunnel): readonly TunnelStep[] {
  if (desired.kind === 'untouched') return [];
  if (desired.kind === 'absent') return observed.kind === 'absent' ? [] : [{ kind: 'delete-link' }];
  const isUsable =
    observed.kind === 'present' &&
    observed.wireGuard !== undefined &&
    observed.backend !== undefined &&
    (desired.backend === 'auto' || desired.backend === observed.backend);
  if (!isUsable) {
    const removal: TunnelStep[] = observed.kind === 'present' ? [{ kind: 'delete-link' }] : [];
    return [...removal, { kind: 'create-link', backend: desired.backend }, ...planSettings(desired, newLink)];
  }
  return planSettings(desired, observed);
}

type PresentTunnel = Extract<ObservedTunnel, { kind: 'present' }>;
type WantedTunnel = Extract<DesiredTunnel, { kind: 'present' }>;

const newLink: PresentTunnel = {
  kind: 'present',
  backend: undefined,
  isUp: false,
  mtu: 0,
  addresses: [],
  wireGuard: { publicKey: undefined, peers: [] },
};

function planSettings(desired: WantedTunnel, observed: PresentTunnel): readonly TunnelStep[] {
  const addresses = desired.spec.addresses.map((own) => own.address);
  const mtu = desired.spec.mtu ?? defaultMtu;
  return [
    ...(isConfigured(desired, observed) ? [] : [{ kind: 'configure' } as const]),
    // Added before any is removed: with an interface's last address the kernel takes its routes away.
    ...addresses
      .filter((address) => !observed.addresses.includes(address))
      .map((address) => ({ kind: 'add-address', address }) as const),
    ...observed.addresses
      .filter((address) => !addresses.includes(address))
      .map((address) => ({ kind: 'remove-address', address }) as const),
    ...(observed.mtu === mtu ? [] : [{ kind: 'set-mtu', mtu } as const]),
    ...(observed.isUp ? [] : [{ kind: 'set-up' } as const]),
  ];
}

function isConfigured(desired: WantedTunnel, observed: PresentTunnel): boolean {
  const [peer, ...others] = observed.wireGuard?.peers ?? [];
  return (
    observed.wireGuard?.publicKey === desired.spec.publicKey &&
    peer !== undefined &&
    others.length === 0 &&
    isSamePeer(desired, peer)
  );
}

/** The endpoint is left out: a roaming peer changes it, and a stale one is resolved anew on its own occasion. */
function isSamePeer(desired: WantedTunnel, peer: WireGuardPeer): boolean {
  return (
    peer.publicKey === desired.spec.peer.publicKey &&
    (peer.persistentKeepaliveSeconds ?? 0) === desired.persistentKeepaliveSeconds &&
    toKey(peer.allowedIps) === toKey(desired.spec.peer.allowedIps)
  );
}

function toKey(prefixes: readonly string[]): string {
  const networks = prefixes.map((text) => {
    const prefix = parsePrefix(text);
    return prefix === undefined ? text : toNetwork(prefix);
  });
  return [...new Set(networks)].sort().join(' ');
}
