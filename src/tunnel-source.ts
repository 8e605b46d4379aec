import { hasCode } from './lib/errors.ts';
import { resolveEndpoint } from './tunnel/endpoint.ts';
import type { IssuedTunnel } from './tunnel/issued.ts';
import { parseIssuedTunnel } from './tunnel/parse.ts';
import type { Endpoint, TunnelSpec } from './tunnel/spec.ts';

/** A tunnel that may be made, its endpoint resolved. */
export interface ReadyTunnel {
  readonly spec: TunnelSpec;
  readonly endpoint: string;
}

/** Where the data path gets its tunnel from: the registration, checked, its endpoint's name resolved and kept. */
export interface TunnelSource {
  /** undefined while nothing is registered. @throws wireguard-text-refused, tunnel-failed */
  current(): Promise<ReadyTunnel | undefined>;
  /** The endpoint's new address when the last handshake (Unix seconds) is stale and the name now says another. */
  resolveAgain(
    lastHandshakeAt: number | undefined,
    now: Date,
  ): Promise<{ readonly peerPublicKey: string; readonly endpoint: string } | undefined>;
}

/** WireGuard makes a new session every 120 s; later than that the peer is not where it was. */
const staleAfterSeconds = 150;
const askAgainAfterMs = 30_000;

export function createTunnelSource(
  issuedTunnel: () => IssuedTunnel | undefined,
  isServiceOnLoopback: () => boolean,
): TunnelSource {
  let parsed: { readonly from: IssuedTunnel; readonly spec: TunnelSpec } | undefined;
  let resolved: { spec: TunnelSpec; endpoint: string; atMs: number } | undefined;
  const toSpec = () => {
    const issued = issuedTunnel();
    if (issued === undefined) return undefined;
    if (parsed?.from !== issued) {
      const spec = parseIssuedTunnel(issued, { isServiceOnLoopback: isServiceOnLoopback() });
      parsed = { from: issued, spec };
    }
    return parsed.spec;
  };
  const resolve = async (spec: TunnelSpec) => {
    if (resolved !== undefined && isSameEndpoint(resolved.spec.peer.endpoint, spec.peer.endpoint)) {
      resolved.spec = spec;
    } else {
      resolved = { spec, endpoint: await resolveEndpoint(spec.peer.endpoint), atMs: performance.now() };
    }
    return resolved;
  };
  return {
    async current() {
      const spec = toSpec();
      return spec === undefined ? undefined : { spec, endpoint: (await resolve(spec)).endpoint };
    },
    async resolveAgain(lastHandshakeAt, now) {
      const ageSeconds = now.getTime() / 1000 - (lastHandshakeAt ?? 0);
      if (resolved === undefined || ageSeconds < staleAfterSeconds) return undefined;
      if (performance.now() - resolved.atMs < askAgainAfterMs) return undefined;
      resolved.atMs = performance.now();
      const { spec } = resolved;
      const endpoint = await resolveEndpoint(spec.peer.endpoint).catch((error: unknown) => {
        // No answer is no news: the old address stays.
        if (hasCode(error, 'tunnel-failed')) return undefined;
        throw error;
      });
      if (endpoint === undefined || endpoint === resolved.endpoint) return undefined;
      resolved.endpoint = endpoint;
      return { peerPublicKey: spec.peer.publicKey, endpoint };
    },
  };
}

function isSameEndpoint(one: Endpoint, other: Endpoint): boolean {
  return one.host === other.host && one.port === other.port;
}
