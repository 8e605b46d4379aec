import { hasCode, TributaryError, toFailure } from '../../errors/codes.ts';
import type { IssuedTunnel } from '../../identity/registration-files.ts';
import { type Names, systemNames } from '../../lib/connect-in-turn.ts';
import { parseHostPort } from '../../lib/host-port.ts';
import { resolveEndpoint, type ServiceContext } from './endpoint.ts';
import { createEndpointTurns } from './endpoint-turns.ts';
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
  /**
   * Reads the issued text again where it has changed, and resolves the name once. It does not wait
   * for name servers that are slow; what they answer is used later.
   */
  current(): Promise<CurrentTunnel>;
  /**
   * Another address of the endpoint's name where the last handshake is stale: the next one after
   * fifteen seconds, round and round, or what the name says now. It is asked for at most twice a
   * minute.
   */
  resolveAgain(
    lastHandshakeAt: Date | undefined,
    now: Date,
  ): Promise<{ readonly peerPublicKey: string; readonly endpoint: string } | undefined>;
  /**
   * Looks whether the endpoint's name has left the present address, while nothing is received: the
   * peer's key where it has. The next pass then has another address.
   */
  lookAgain(): Promise<string | undefined>;
  /**
   * Called as soon as a handshake is seen: its address is kept for a later life, which may begin
   * before the next pass, and without name servers.
   */
  noteHandshake(lastHandshakeAt: Date, now: Date): void;
  /** The addresses that were tried in vain since the last handshake, in order. */
  tried(): readonly string[];
}

/**
 * WireGuard makes a new session every 120 s. Without one for this long, the peer is no longer where
 * it was.
 */
const staleAfterSeconds = 150;

export function readCurrentTunnel(
  issuedTunnel: () => IssuedTunnel | undefined,
  context: () => ServiceContext,
  {
    names = systemNames,
    resolveName = (endpoint, present) => resolveEndpoint(endpoint, present, names),
    onAnswer,
  }: {
    readonly names?: Names | undefined;
    readonly resolveName?: typeof resolveEndpoint;
    readonly onAnswer?: (() => void) | undefined;
  } = {},
): CurrentTunnelReader {
  let parsed = parseAfter(undefined, undefined, context());
  let current: TunnelSpec | undefined;
  const turns = createEndpointTurns(resolveName, context, onAnswer);
  return {
    async current() {
      const issued = issuedTunnel();
      // The text is also read again when the owner allows other addresses.
      const isRead = parsed.from === issued && parsed.allowed === context().allowed;
      if (!isRead) parsed = parseAfter(parsed.spec, issued, context());
      const { spec, refusal } = parsed;
      if (spec === undefined) return { tunnel: undefined, refusal };
      const endpoint = await turns.present(spec.peer.endpoint).catch(toFailure('tunnel-failed'));
      if (endpoint instanceof TributaryError)
        return { tunnel: 'unresolved', refusal: refusal ?? endpoint };
      current = spec;
      return { tunnel: { spec, endpoint }, refusal };
    },
    async resolveAgain(lastHandshakeAt, now) {
      const ageSeconds = (now.getTime() - (lastHandshakeAt?.getTime() ?? 0)) / 1000;
      if (current === undefined || ageSeconds < staleAfterSeconds) return undefined;
      const endpoint = await turns.goOn();
      if (endpoint === undefined) return undefined;
      return { peerPublicKey: current.peer.publicKey, endpoint };
    },
    lookAgain: async () =>
      current !== undefined && (await turns.lookAgain()) ? current.peer.publicKey : undefined,
    noteHandshake(lastHandshakeAt, now) {
      const ageMs = now.getTime() - lastHandshakeAt.getTime();
      if (current === undefined || ageMs >= staleAfterSeconds * 1000) return;
      const good = parseHostPort(turns.noteHandshake(ageMs) ?? '');
      if (good !== undefined) names.noteGood?.(current.peer.endpoint.host, good.host);
    },
    tried: turns.tried,
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
