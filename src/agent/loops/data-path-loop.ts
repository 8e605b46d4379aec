import {
  type DataPath,
  type DataPathDoors,
  type DesiredDataPath,
  grantPermit,
  reconcileDataPath,
  revokePermit,
  toTotals,
} from '../../data-path/reconcile.ts';
import type { Accounting } from '../../data-path/usage-accounting.ts';
import { toPersistentKeepaliveSeconds } from '../../identity/keepalive.ts';
import { hasCode, TributaryError } from '../../lib/errors.ts';
import { observeWireGuardTraffic, type WireGuardTraffic } from '../../system/wg.ts';
import { moveEndpoint } from '../../tunnel/apply.ts';
import type { CurrentTunnel, TunnelSource } from '../../tunnel/current-tunnel.ts';
import type { ModeDecision } from '../mode-decision.ts';
import type { PhaseWatch } from '../phase-watch.ts';
import type { Board } from '../state.ts';
import { toPassIntervalMs } from './pass-interval.ts';

/** What the loop works with. */
export interface DataPathLoopParts {
  readonly board: Board;
  readonly doors: DataPathDoors;
  readonly accounting: Accounting;
  readonly tunnelSource: TunnelSource;
  readonly decideMode: ModeDecision;
  readonly watch: Pick<PhaseWatch, 'look' | 'wouldProvide'>;
  readonly now: () => Date;
}

/** Keeps tunnel, gateway and permit as they should be. */
export interface DataPathKeeper {
  /** One pass; resolves with the time until the next is due (ms). */
  readonly round: () => Promise<number>;
  /** Resolves when a pass that begins from now on is done: what was asked for is in force. */
  readonly nextPass: () => Promise<void>;
}

export function createDataPathKeeper(parts: DataPathLoopParts): DataPathKeeper {
  const { board } = parts;
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let before = '';
  let waiting: (() => void)[] = [];
  const round = async () => {
    const served = waiting;
    waiting = [];
    try {
      await pass(parts);
    } catch (error) {
      takeFailure(board, error);
    }
    const phase = parts.watch.look();
    for (const serve of served) serve();
    const tunnel = board.dataPath?.tunnel.kind;
    if (`${phase} ${tunnel}` !== before) changedAtMs = performance.now();
    before = `${phase} ${tunnel}`;
    return toPassIntervalMs({
      phase,
      isHandshakeDue: tunnel === 'present' && board.lastHandshakeAt() === undefined,
      unchangedMs: performance.now() - changedAtMs,
      permitSeconds: board.config.gateway.permit_seconds,
    });
  };
  const nextPass = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      board.wakes.dataPath.notify();
    });
  return { round, nextPass };
}

async function pass(parts: DataPathLoopParts): Promise<void> {
  const { board, doors, accounting } = parts;
  const { exec } = doors;
  const { tunnel, refusal } = await parts.tunnelSource.current();
  const dataPath = await reconcileDataPath(doors, toDesired(parts, tunnel));
  board.dataPath = dataPath;
  board.uplinkMissingSince = dataPath.uplink === undefined ? (board.uplinkMissingSince ?? parts.now()) : undefined;
  board.noteTraffic(await observeTraffic(parts, dataPath));
  await refreshEndpoint(parts, dataPath);
  noteProblems(board, dataPath, refusal);
  await noteUsage(board, accounting, dataPath);
  await parts.decideMode();
  if (parts.watch.wouldProvide()) {
    await grantPermit(exec, board.config.tunnel.interface, board.config.gateway.permit_seconds);
    board.isOpen = true;
  } else {
    await revokePermit(exec, dataPath.table);
    board.isOpen = false;
  }
}

function toDesired({ board, accounting }: DataPathLoopParts, source: CurrentTunnel['tunnel']): DesiredDataPath {
  const { config } = board;
  const name = config.tunnel.interface;
  return {
    tunnel:
      source === undefined || source === 'unresolved'
        ? { kind: source === undefined ? 'absent' : 'untouched', interface: name }
        : {
            kind: 'present',
            interface: name,
            backend: config.tunnel.backend,
            spec: source.spec,
            endpoint: source.endpoint,
            persistentKeepaliveSeconds: toPersistentKeepaliveSeconds(
              source.spec.peer.persistentKeepaliveSeconds,
              board.keepaliveSeconds ?? config.tunnel.keepalive_seconds_default,
            ),
          },
    configuredUplink: config.gateway.uplink,
    gateway: {
      allowDestinations: config.gateway.allow_destinations,
      blockedPorts: config.gateway.blocked_ports,
      rateLimit: { up: config.provide.rate_limit.up, down: config.provide.rate_limit.down },
    },
    toRemainingBytes: accounting.toRemainingBytes,
    totals: accounting.totals(),
  };
}

async function observeTraffic(
  { board, doors }: DataPathLoopParts,
  dataPath: DataPath,
): Promise<WireGuardTraffic | undefined> {
  if (dataPath.tunnel.kind === 'absent') return undefined;
  const peers = await observeWireGuardTraffic(doors.exec, board.config.tunnel.interface);
  return peers[0];
}

/** A peer that went silent may have moved: its name is asked for again, and the tunnel pointed at the new address. */
async function refreshEndpoint(
  { board, doors, tunnelSource, now }: DataPathLoopParts,
  dataPath: DataPath,
): Promise<void> {
  if (dataPath.tunnel.kind === 'absent' || board.isServiceReachable === undefined) return;
  const moved = await tunnelSource.resolveAgain(board.lastHandshakeAt(), now());
  if (moved === undefined) return;
  await moveEndpoint(doors.exec, board.config.tunnel.interface, moved.peerPublicKey, moved.endpoint);
}

function noteProblems(board: Board, dataPath: DataPath, refusal: TributaryError | undefined): void {
  const { collision, missing, isFenced } = dataPath;
  board.setProblem('tunnel', refusal ?? toCollision(collision) ?? toNoIpv6(missing, 'everything'));
  board.setProblem('shortfall', toNoIpv6(missing, 'ipv6'));
  const unfenced = new TributaryError('gateway-failed', 'the kernel did not take the firewall as it was given');
  board.setProblem('gateway', isFenced ? undefined : unfenced);
}

function toCollision(address: string | undefined): TributaryError | undefined {
  if (address === undefined) return undefined;
  const message = `the tunnel's address ${address} lies in a network that this device is in`;
  return new TributaryError('address-collision', message);
}

const withoutIpv6 = {
  ipv6: "IPv6 is switched off here: the tunnel's IPv6 address is left out, and IPv4 is provided",
  everything: 'the service issued a tunnel for IPv6 alone, and IPv6 is switched off here',
} as const;

function toNoIpv6(missing: DataPath['missing'], what: keyof typeof withoutIpv6): TributaryError | undefined {
  return missing === what ? new TributaryError('no-ipv6', withoutIpv6[what]) : undefined;
}

/** A disk that takes nothing stops nobody's traffic: the count goes on in the kernel and in memory. */
async function noteUsage(board: Board, accounting: Accounting, dataPath: DataPath): Promise<void> {
  try {
    await accounting.note(toTotals(dataPath.table));
    board.setProblem('usage', undefined);
  } catch (error) {
    if (!hasCode(error, 'state-unwritable')) throw error;
    board.setProblem('usage', error);
  }
}

/** Nothing was opened: the permit that is there runs out by itself. */
function takeFailure(board: Board, error: unknown): void {
  if (!(error instanceof TributaryError)) throw error;
  const isTunnels = hasCode(error, 'tunnel-failed');
  board.setProblem(isTunnels ? 'tunnel' : 'gateway', error);
  board.isOpen = (board.dataPath?.table?.expires.size ?? 0) > 0 && board.isOpen;
}
