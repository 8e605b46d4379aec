import type { Secret } from '../lib/secret.ts';

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
