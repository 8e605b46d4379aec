import { toNetworks } from '../../lib/addresses.ts';
import type { WireGuardInterface } from '../../system/wg.ts';
import {
  type Backend,
  type DesiredTunnel,
  defaultMtu,
  type ObservedTunnel,
  type WireGuardSettings,
} from './state.ts';

/**
 * One change to the tunnel, with all that it takes. A list may be cut short: the next plan goes on
 * from there.
 */
export type TunnelStep = { readonly interface: string } & (
  | { readonly kind: 'delete-link' | 'set-up' }
  | { readonly kind: 'create-link'; readonly backend: Backend | 'auto' }
  | { readonly kind: 'configure'; readonly settings: WireGuardSettings }
  | { readonly kind: 'add-address' | 'remove-address'; readonly address: string }
  | { readonly kind: 'set-mtu'; readonly mtu: number }
);

/** What changes the observed tunnel into the desired one; nothing when it is that already. */
export function planTunnel(
  desired: DesiredTunnel,
  observed: ObservedTunnel,
): readonly TunnelStep[] {
  switch (desired.kind) {
    case 'untouched':
      return [];
    case 'absent':
      return planRemoval(desired, observed);
    case 'present':
      return planPresent(desired, observed);
    default:
      return desired satisfies never;
  }
}

function planRemoval(
  { interface: name }: DesiredTunnel,
  observed: ObservedTunnel,
): readonly TunnelStep[] {
  return observed.kind === 'present' ? [{ interface: name, kind: 'delete-link' }] : [];
}

function planPresent(desired: DesiredLink, observed: ObservedTunnel): readonly TunnelStep[] {
  if (
    observed.kind === 'present' &&
    observed.wireGuard !== undefined &&
    isDesiredBackend(desired, observed.backend)
  ) {
    return planSettings(desired, { ...observed, wireGuard: observed.wireGuard });
  }
  const creation: TunnelStep = {
    interface: desired.interface,
    kind: 'create-link',
    backend: desired.backend,
  };
  return [...planRemoval(desired, observed), creation, ...planSettings(desired, newLink)];
}

type DesiredLink = Extract<DesiredTunnel, { kind: 'present' }>;
type ObservedLink = Pick<
  Extract<ObservedTunnel, { kind: 'present' }>,
  'isUp' | 'mtu' | 'addresses'
> & {
  readonly wireGuard: WireGuardInterface;
};

const newLink: ObservedLink = {
  isUp: false,
  mtu: 0,
  addresses: [],
  wireGuard: { publicKey: undefined, peers: [] },
};

function isDesiredBackend({ backend }: DesiredLink, observed: Backend | undefined): boolean {
  return observed !== undefined && (backend === 'auto' || backend === observed);
}

function planSettings(desired: DesiredLink, observed: ObservedLink): readonly TunnelStep[] {
  const { interface: name, spec, endpoint, persistentKeepaliveSeconds } = desired;
  const addresses = spec.addresses.map((own) => own.address);
  const mtu = spec.mtu ?? defaultMtu;
  const steps: TunnelStep[] = [];
  if (!isConfigured(desired, observed.wireGuard)) {
    const configure = (settings: WireGuardSettings) =>
      steps.push({ interface: name, kind: 'configure', settings });
    // Each changes WireGuard's own port. Turning keep-alives on sends one at once, by which the
    // other end hears of port and key.
    if (observed.isUp && persistentKeepaliveSeconds > 0)
      configure({ spec, endpoint, persistentKeepaliveSeconds: 0 });
    configure({ spec, endpoint, persistentKeepaliveSeconds });
  }
  // Added before any is removed: with an interface's last address the kernel takes its routes away.
  for (const address of addresses) {
    if (!observed.addresses.includes(address))
      steps.push({ interface: name, kind: 'add-address', address });
  }
  for (const address of observed.addresses) {
    if (!addresses.includes(address))
      steps.push({ interface: name, kind: 'remove-address', address });
  }
  if (observed.mtu !== mtu) steps.push({ interface: name, kind: 'set-mtu', mtu });
  if (!observed.isUp) steps.push({ interface: name, kind: 'set-up' });
  return steps;
}

/**
 * The endpoint is left out: a roaming peer changes it, and a stale one is resolved again on its own
 * occasion.
 */
function isConfigured(
  { spec, persistentKeepaliveSeconds }: WireGuardSettings,
  observed: WireGuardInterface,
): boolean {
  const [peer, ...others] = observed.peers;
  return (
    observed.publicKey === spec.publicKey &&
    others.length === 0 &&
    peer?.publicKey === spec.peer.publicKey &&
    (peer.persistentKeepaliveSeconds ?? 0) === persistentKeepaliveSeconds &&
    toNetworks(peer.allowedIps).join() === toNetworks(spec.peer.allowedIps).join()
  );
}
