import type { Secret } from '../lib/secret.ts';
import type { WireGuardInterface } from '../system/wg.ts';

/** Where the peer is reached: a name or an address, and a UDP port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A tunnel that passed every check; the only form in which an issued configuration reaches a tool. */
export interface TunnelSpec {
  readonly privateKey: Secret;
  readonly publicKey: string;
  readonly addresses: readonly { readonly family: 4 | 6; readonly address: string }[];
  /** Bytes; undefined: WireGuard's usual 1420. */
  readonly mtu: number | undefined;
  readonly peer: {
    readonly publicKey: string;
    readonly presharedKey: Secret | undefined;
    readonly endpoint: Endpoint;
    readonly allowedIps: readonly string[];
    /** As issued; the agent never uses a longer one than the service's keepalive. */
    readonly persistentKeepaliveSeconds: number | undefined;
  };
}

export const defaultMtu = 1420;

export type Backend = 'kernel' | 'userspace';

/** What `wg` is told; it holds the private key. */
export interface WireGuardSettings {
  readonly spec: TunnelSpec;
  /** The peer's address and port, its name resolved: `198.51.100.1:51820`, `[2001:db8::1]:51820`. */
  readonly endpoint: string;
  readonly persistentKeepaliveSeconds: number;
}

/** What the tunnel should be; `absent` is tear-down, `untouched` leaves it as long as nothing better is known. */
export type DesiredTunnel =
  | { readonly kind: 'absent'; readonly interface: string }
  | { readonly kind: 'untouched'; readonly interface: string }
  | ({
      readonly kind: 'present';
      readonly interface: string;
      readonly backend: Backend | 'auto';
    } & WireGuardSettings);

export type ObservedTunnel =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'present';
      /** undefined: an interface of another kind has the name. */
      readonly backend: Backend | undefined;
      readonly isUp: boolean;
      readonly mtu: number;
      readonly addresses: readonly string[];
      /** undefined: the interface is there and nothing answers for it (wireguard-go has died). */
      readonly wireGuard: WireGuardInterface | undefined;
    };
