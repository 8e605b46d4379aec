import type { Issuance } from '../../identity/registration-files.ts';
import type { Names } from '../../lib/connect-in-turn.ts';
import type { Exec } from '../../system/exec.ts';
import { observeWireGuard, type WireGuardPeer } from '../../system/wg.ts';
import type { Source } from '../source.ts';
import { moveEndpoint, removePeer } from './apply.ts';
import {
  type CurrentTunnel,
  type CurrentTunnelReader,
  readCurrentTunnel,
} from './current-tunnel.ts';
import { type PresentTunnel, toWish, type WireGuardDriver } from './driver.ts';
import type { ServiceContext } from './endpoint.ts';
import {
  choosePersistentKeepaliveSeconds,
  createHandshakeClock,
  findFreshUntil,
  isHandshakeOverdue,
} from './handshake.ts';
import { explainUnissued } from './not-issued.ts';
import type { TunnelStep } from './plan.ts';
import type { Backend, DesiredTunnel, ObservedTunnel } from './state.ts';

/**
 * What only WireGuard has, for the status, and for deciding whether to ask the service about a
 * silent peer.
 */
export interface TunnelFacts {
  readonly interface: string;
  /** undefined while there is no interface. */
  readonly backend: Backend | undefined;
  /** The peer's address and port, as WireGuard has it now. */
  readonly endpoint: string | undefined;
  /** The addresses of the endpoint's name that were tried in vain since the last handshake. */
  readonly triedEndpoints: readonly string[];
  readonly lastHandshakeAt: Date | undefined;
  readonly persistentKeepaliveSeconds: number | undefined;
  /** Both undefined before the first reading, and while there is no interface. */
  readonly rxBytes: number | undefined;
  readonly txBytes: number | undefined;
}

/** The tunnel that the service issued, as a source of consumers' traffic. */
export interface WireGuardSource extends Source<PresentTunnel, ObservedTunnel, TunnelStep> {
  readonly driver: WireGuardDriver;
  /** What was observed last. */
  tunnel(): TunnelFacts;
  /**
   * Follows the other end to another address where its name has one: called every few seconds with
   * what the device has received, and asks for the name where that has not grown. True where a pass
   * is due, which then follows it.
   */
  followName(rxBytes: number | undefined): Promise<boolean>;
}

/** An end that is in use, or has a keepalive of its own, says something within this time (ms). */
const stillMs = 15_000;

/** The facts without a tunnel, or before the first look for one. */
export function noTunnel(device: string): TunnelFacts {
  return {
    interface: device,
    backend: undefined,
    endpoint: undefined,
    triedEndpoints: [],
    lastHandshakeAt: undefined,
    persistentKeepaliveSeconds: undefined,
    rxBytes: undefined,
    txBytes: undefined,
  };
}

/** What a tunnel is made from, each asked when a pass begins. */
export interface WireGuardSourceParts {
  readonly driver: WireGuardDriver;
  readonly exec: Exec;
  /** What the service issued; undefined before the device is registered. */
  readonly issued: () => Issuance | undefined;
  readonly context: () => ServiceContext;
  readonly backend: () => Backend | 'auto';
  /** The interval in which the service is asked again, in seconds. */
  readonly renewSeconds: () => number;
  /**
   * True once any question to the outside was answered or has failed. Before that no name is
   * resolved again.
   */
  readonly mayResolve: () => boolean;
  /** Called when name servers that were slow have answered. */
  readonly onChange?: () => void;
  readonly now: () => Date;
  /** Milliseconds since the machine started, sleep included. */
  readonly uptimeMs: () => number;
  /** By default the system's own. */
  readonly names?: Names | undefined;
  /** By default the issued text, read and resolved. */
  readonly tunnels?: CurrentTunnelReader;
}

export function createWireGuardSource(parts: WireGuardSourceParts): WireGuardSource {
  const { driver, exec, now } = parts;
  const tunnels =
    parts.tunnels ??
    readCurrentTunnel(() => parts.issued()?.tunnel, parts.context, {
      onAnswer: parts.onChange,
      names: parts.names,
    });
  const handshakes = createHandshakeClock(now, parts.uptimeMs);
  let found: ObservedTunnel = { kind: 'absent' };
  let peer: WireGuardPeer | undefined;
  let received: { readonly bytes: number; readonly sinceMs: number } | undefined;
  /** The key of a peer that is no longer where the tunnel points. */
  let leaving: string | undefined;

  const takePeer = (next: WireGuardPeer | undefined) => {
    peer = next;
    handshakes.note(next?.lastHandshakeAt);
    const at = handshakes.lastHandshakeAt();
    if (at !== undefined) tunnels.noteHandshake(at, now());
  };
  return {
    driver,
    wantsIssuedTunnel: true,
    async wanted() {
      // Only here: a pass that runs already has asked for the address before, and would give it to
      // the peer again, which then stays there.
      if (leaving !== undefined && found.kind === 'present')
        await removePeer(exec, driver.device, leaving);
      leaving = undefined;
      const issued = parts.issued();
      const { tunnel, refusal } = await tunnels.current();
      const problem = refusal ?? (issued && explainUnissued(issued));
      return { wish: toWish(planTunnelState(driver.device, tunnel, parts)), problem };
    },
    take(observed) {
      found = observed;
      takePeer(observed.kind === 'present' ? observed.wireGuard?.peers[0] : undefined);
    },
    async sample() {
      if (found.kind === 'absent') return () => undefined;
      const [read] = (await observeWireGuard(exec, driver.device)).peers;
      return () => takePeer(read);
    },
    /**
     * A peer that went silent may have moved: its name is asked for again, and the tunnel pointed
     * at the new address.
     */
    async settle() {
      if (found.kind === 'absent' || !parts.mayResolve()) return;
      const moved = await tunnels.resolveAgain(handshakes.lastHandshakeAt(), now());
      if (moved !== undefined) await moveEndpoint(exec, { interface: driver.device, ...moved });
    },
    // The service is told the mode by the agent; the tunnel stays as it is.
    follow() {},
    report() {
      const since = handshakes.lastHandshakeAt();
      const persistentKeepaliveSeconds = peer?.persistentKeepaliveSeconds;
      const handshake = { lastHandshakeAt: since, persistentKeepaliveSeconds };
      const isThere = found.kind === 'present' && found.backend !== undefined;
      return {
        isThere,
        life: since && { since, until: findFreshUntil(handshake) },
        traffic: peer && { rxBytes: peer.rxBytes, txBytes: peer.txBytes },
        consumers: undefined,
        market: undefined,
        asksService: isThere && isHandshakeOverdue(handshake, now()),
      };
    },
    tunnel: () => ({
      interface: driver.device,
      backend: found.kind === 'present' ? found.backend : undefined,
      endpoint: peer?.endpoint,
      triedEndpoints: tunnels.tried(),
      lastHandshakeAt: handshakes.lastHandshakeAt(),
      persistentKeepaliveSeconds: peer?.persistentKeepaliveSeconds,
      rxBytes: peer?.rxBytes,
      txBytes: peer?.txBytes,
    }),
    async followName(rxBytes) {
      const nowMs = performance.now();
      if (rxBytes === undefined || handshakes.lastHandshakeAt() === undefined) received = undefined;
      else if (received?.bytes !== rxBytes) received = { bytes: rxBytes, sinceMs: nowMs };
      else if (nowMs - received.sinceMs >= stillMs && parts.mayResolve()) {
        const moved = await tunnels.lookAgain();
        if (moved !== undefined) leaving = moved;
        return moved !== undefined;
      }
      return false;
    },
    // wireguard-go outlives the agent on purpose, and ends with its interface.
    async close() {},
  };
}

function planTunnelState(
  device: string,
  current: CurrentTunnel['tunnel'],
  { backend, renewSeconds }: Pick<WireGuardSourceParts, 'backend' | 'renewSeconds'>,
): DesiredTunnel {
  if (current === undefined) return { kind: 'absent', interface: device };
  if (current === 'unresolved') return { kind: 'untouched', interface: device };
  const persistentKeepaliveSeconds = choosePersistentKeepaliveSeconds(
    current.spec.peer.persistentKeepaliveSeconds,
    renewSeconds(),
  );
  return {
    kind: 'present',
    interface: device,
    backend: backend(),
    ...current,
    persistentKeepaliveSeconds,
  };
}
