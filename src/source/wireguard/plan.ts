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
 * One change to the tunnel, with everything that it needs. If a list of steps is cut short, the
 * next plan goes on from there.
 */
export type TunnelStep = { readonly interface: string } & (
  | { readonly kind: 'delete-link' | 'set-up' }
  | { readonly kind: 'create-link'; readonly backend: Backend | 'auto' }
  | { readonly kind: 'configure'; readonly settings: WireGuardSettings }
  | { readonly kind: 'add-address' | 'remove-address'; readonly address: string }
  | { readonly kind: 'set-mtu'; readonly mtu: number }
);

/** The steps from the observed tunnel to the desired one; empty if they are equal. */
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
    // Each of the two changes WireGuard's own port. Switching keepalives on sends one at once, from
    // which the other end learns port and key.
    if (observed.isUp && persistentKeepaliveSeconds > 0)
      configure({ spec, endpoint, persistentKeepaliveSeconds: 0 });
    configure({ spec, endpoint, persistentKeepaliveSeconds });
  }
  // Addresses are added before any is removed: with the last address of an interface the kernel
  // would remove its routes.
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
 * True where WireGuard has these settings. The endpoint does not count: a roaming peer changes it,
 * and a stale one is resolved again elsewhere.
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
