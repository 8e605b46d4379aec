import { isDeepStrictEqual } from 'node:util';
import { hasCode, TributaryError, toFailure, toUndefined } from '../../errors/codes.ts';
import type { IssuedTunnel } from '../../identity/registration-files.ts';
import { resolveEndpoint, type ServiceContext } from './endpoint.ts';
import { parseIssuedTunnel } from './parse.ts';
import type { TunnelSpec, WireGuardSettings } from './state.ts';

export interface CurrentTunnel {
  /**
   * undefined if nothing usable was issued; `unresolved` if the endpoint's name has no address, and
   * then an existing tunnel is not changed.
   */
  readonly tunnel: Pick<WireGuardSettings, 'spec' | 'endpoint'> | 'unresolved' | undefined;
  /**
   * Why the present text is refused (wireguard-text-refused; the tunnel is then the last good one),
   * or tunnel-failed.
   */
  readonly refusal: TributaryError | undefined;
}

/**
 * The issued tunnel, checked, its endpoint's name resolved. What was good once is kept: a text that
 * is refused, or a name that does not resolve, takes no working tunnel down.
 */
export interface CurrentTunnelReader {
  /** Reads the issued text again where it has changed, and resolves the name once. */
  current(): Promise<CurrentTunnel>;
  /**
   * The endpoint's new address when the last handshake is stale and the name now says another; asks
   * at most twice a minute.
   */
  resolveAgain(
    lastHandshakeAt: Date | undefined,
    now: Date,
  ): Promise<{ readonly peerPublicKey: string; readonly endpoint: string } | undefined>;
}

/**
 * WireGuard makes a new session every 120 s. Without one for this long, the peer is no longer where
 * it was.
 */
const staleAfterSeconds = 150;
const askAgainAfterMs = 30_000;

export function readCurrentTunnel(
  issuedTunnel: () => IssuedTunnel | undefined,
  context: () => ServiceContext,
  resolveName: typeof resolveEndpoint = resolveEndpoint,
): CurrentTunnelReader {
  let parsed = parseAfter(undefined, undefined, context());
  let resolved: { spec: TunnelSpec; endpoint: string; atMs: number } | undefined;
  const resolve = async (spec: TunnelSpec) => {
    if (
      resolved !== undefined &&
      isDeepStrictEqual(resolved.spec.peer.endpoint, spec.peer.endpoint)
    ) {
      resolved.spec = spec;
    } else {
      resolved = {
        spec,
        endpoint: await resolveName(spec.peer.endpoint, context()),
        atMs: performance.now(),
      };
    }
    return resolved;
  };
  return {
    async current() {
      const issued = issuedTunnel();
      // The text is also read again when the owner allows other addresses.
      const isRead = parsed.from === issued && parsed.allowed === context().allowed;
      if (!isRead) parsed = parseAfter(parsed.spec, issued, context());
      const { spec, refusal } = parsed;
      if (spec === undefined) return { tunnel: undefined, refusal };
      const ready = await resolve(spec).catch(toFailure('tunnel-failed'));
      if (ready instanceof TributaryError)
        return { tunnel: 'unresolved', refusal: refusal ?? ready };
      return { tunnel: { spec, endpoint: ready.endpoint }, refusal };
    },
    async resolveAgain(lastHandshakeAt, now) {
      const ageSeconds = (now.getTime() - (lastHandshakeAt?.getTime() ?? 0)) / 1000;
      if (resolved === undefined || ageSeconds < staleAfterSeconds) return undefined;
      if (performance.now() - resolved.atMs < askAgainAfterMs) return undefined;
      resolved.atMs = performance.now();
      const { spec } = resolved;
      // Without an answer the old address stays.
      const endpoint = await resolveName(spec.peer.endpoint, context()).catch(
        toUndefined('tunnel-failed'),
      );
      if (endpoint === undefined || endpoint === resolved.endpoint) return undefined;
      resolved.endpoint = endpoint;
      return { peerPublicKey: spec.peer.publicKey, endpoint };
    },
  };
}

/**
 * Parses a new text. If it is refused, the last good tunnel stays, so that a service that sends
 * nonsense stops no traffic.
 */
function parseAfter(
  before: TunnelSpec | undefined,
  from: IssuedTunnel | undefined,
  context: ServiceContext,
) {
  const { allowed } = context;
  if (from === undefined) return { from, allowed, spec: undefined, refusal: undefined };
  try {
    return { from, allowed, spec: parseIssuedTunnel(from, context), refusal: undefined };
  } catch (error) {
    if (!hasCode(error, 'wireguard-text-refused')) throw error;
    return { from, allowed, spec: before, refusal: error };
  }
}
