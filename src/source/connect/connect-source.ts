import { toFailure } from '../../errors/codes.ts';
import type { ProvideMode } from '../../service/profiles.ts';
import { type Carried, readCarried } from '../../system/traffic.ts';
import type { Source } from '../source.ts';
import {
  type EngineDevice,
  type EngineDriver,
  fitsEngine,
  type ObservedEngineDevice,
  wantEngineDevice,
} from './device.ts';
import type { EngineOrder } from './engine-order.ts';
import type { EngineUser } from './engine-user.ts';
import type { KeptSums } from './kept-sums.ts';
import type { MarketWatch } from './market-watch.ts';
import type { PoolPlan } from './pool.ts';
import { provideWishes } from './provide-wish.ts';
import type { EngineReport, EngineSupervisor } from './supervise-engine.ts';

/** The network's own protocol as a source of consumers' traffic. */
export interface ConnectSource extends Source<EngineDevice, ObservedEngineDevice> {
  readonly driver: EngineDriver;
  /** What the engine last said of itself, for status and metrics. */
  engine(): EngineReport;
}

export interface ConnectSourceParts {
  readonly driver: EngineDriver;
  readonly supervisor: EngineSupervisor;
  /** What its engines counted, kept over restarts of the agent. */
  readonly sums: KeptSums;
  readonly market: Pick<MarketWatch, 'report' | 'close'>;
  /** Who the engine runs as; asked once. */
  readonly user: () => Promise<EngineUser>;
  readonly addresses: PoolPlan;
  /** What the engine is to be, but for what this source adds; undefined until registered. */
  readonly order: () => Omit<EngineOrder, 'device' | 'pool' | 'wish'> | undefined;
  /** A line for the log. */
  readonly onSaid: (line: string) => void;
  /** By default the kernel's count of the device. */
  readonly readCarried?: (device: string) => Carried | undefined;
}

/**
 * A device that the engine attaches to. It counts as alive while the engine is connected and, where
 * the owner's mode offers anything, published: before that no consumer can be behind it.
 */
export function createConnectSource(parts: ConnectSourceParts): ConnectSource {
  const { driver, supervisor, sums, market, addresses } = parts;
  const { device } = driver;
  const count = parts.readCarried ?? readCarried;
  let user: EngineUser | undefined;
  let found: ObservedEngineDevice = { kind: 'absent' };
  let carried: Carried | undefined;
  let mode: ProvideMode | undefined;

  const isThere = () => user !== undefined && fitsEngine({ user }, found);
  const direct = () => {
    const order = parts.order();
    if (order === undefined) supervisor.want(undefined);
    // Before the first decision nothing is published, and what was published stays. A device that
    // is gone is made by the next pass, and the engine that lost it ends.
    else if (mode !== undefined && isThere())
      supervisor.want({ ...order, device, pool: addresses.pool, wish: provideWishes[mode] });
  };
  const findLife = () => {
    const { state } = supervisor.report();
    const isOffered = mode === undefined || mode === 'none' || state?.isPublished === true;
    if (state?.isConnected !== true || state.connectedSince === null || !isOffered)
      return undefined;
    return { since: new Date(state.connectedSince), until: undefined };
  };
  const readFigures = () => {
    const { figures } = supervisor.report();
    sums.take(figures);
    const kept = sums.read();
    return kept && { ...figures, ...kept };
  };
  const findMarket = () => {
    const isConnected = supervisor.report().state?.isConnected === true;
    return mode && market.report({ isConnected, wish: provideWishes[mode] });
  };
  return {
    driver,
    wantsIssuedTunnel: false,
    async wanted() {
      user ??= await parts.user();
      const unread = await sums.load().then(() => undefined, toFailure());
      const wish =
        parts.order() === undefined
          ? { kind: 'absent' as const, device }
          : wantEngineDevice(device, addresses.device, { user });
      return { wish, problem: supervisor.report().problem ?? unread };
    },
    take(observed) {
      found = observed;
      carried = count(device);
    },
    async sample() {
      const read = count(device);
      return () => {
        carried = read;
      };
    },
    async settle() {
      direct();
      sums.take(supervisor.report().figures);
      await sums.keep();
    },
    follow(next) {
      mode = next;
      direct();
    },
    report: () => ({
      isThere: isThere(),
      life: findLife(),
      traffic: carried && { rxBytes: carried.rxBytes, txBytes: carried.txBytes },
      consumers: readFigures(),
      market: findMarket(),
      asksService: supervisor.report().isTokenRefused,
    }),
    engine: supervisor.report,
    async close() {
      await supervisor.close();
      sums.take(supervisor.report().figures);
      const lost = await sums.close().then(() => undefined, toFailure());
      if (lost !== undefined) parts.onSaid(`what it counted last is lost: ${lost.message}`);
      await market.close();
    },
  };
}
