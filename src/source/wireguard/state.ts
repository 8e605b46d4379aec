import type { observeTunnel } from './observe.ts';
import type { parseIssuedTunnel } from './parse.ts';

/** Where the peer is reached: a name or an address, and a UDP port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * A tunnel that passed every check; the only form in which an issued configuration reaches a tool.
 */
export type TunnelSpec = Readonly<ReturnType<typeof parseIssuedTunnel>>;

export const defaultMtu = 1420;

export type Backend = 'kernel' | 'userspace';

/** The settings for `wg`; they include the private key. */
export interface WireGuardSettings {
  readonly spec: TunnelSpec;
  /**
   * The peer's address and port, after its name was resolved: `198.51.100.1:51820`,
   * `[2001:db8::1]:51820`.
   */
  readonly endpoint: string;
  readonly persistentKeepaliveSeconds: number;
}

/**
 * What the tunnel should be. `absent` removes it, `untouched` leaves it while nothing better is
 * known.
 */
export type DesiredTunnel = { readonly interface: string } & (
  | { readonly kind: 'absent' | 'untouched' }
  | ({ readonly kind: 'present'; readonly backend: Backend | 'auto' } & WireGuardSettings)
);

export type ObservedTunnel = Awaited<ReturnType<typeof observeTunnel>>;
