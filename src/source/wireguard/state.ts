import type { Secret } from '../../lib/secret.ts';
import type { WireGuardInterface } from '../../system/wg.ts';
import type { SourceAddress } from '../source.ts';

/** Where the peer is reached: a name or an address, and a UDP port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * A tunnel that passed every check; the only form in which an issued configuration reaches a tool.
 */
export interface TunnelSpec {
  readonly privateKey: Secret;
  readonly publicKey: string;
  readonly addresses: readonly SourceAddress[];
  /** In bytes; undefined for WireGuard's usual 1420. */
  readonly mtu: number | undefined;
  readonly peer: {
    readonly publicKey: string;
    readonly presharedKey: Secret | undefined;
    readonly endpoint: Endpoint;
    readonly allowedIps: readonly string[];
    /** As issued; the agent never uses a longer one than its renewals have. */
    readonly persistentKeepaliveSeconds: number | undefined;
  };
}

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

/** The interface as it is found; it has no addresses of the link alone. */
export type ObservedTunnel =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'present';
      /** undefined where an interface of another kind has the name. */
      readonly backend: Backend | undefined;
      readonly isUp: boolean;
      readonly mtu: number;
      readonly addresses: readonly string[];
      /**
       * undefined where the interface exists but nothing answers for it, because wireguard-go has
       * died.
       */
      readonly wireGuard: WireGuardInterface | undefined;
    };
