import {
  forgetConnections,
  grantPermit,
  holdsPermit,
  revokePermit,
} from '../../data-path/permit.ts';
import type { DataPath } from '../../data-path/reconcile.ts';
import type { DataPathHost } from '../../data-path/state.ts';
import { toUndefined } from '../../errors/codes.ts';
import { isOver, mayForward } from '../../health/may-forward.ts';
import { isClockSet } from '../../lib/clock.ts';
import type { LineLimit } from '../../provide/line-limit.ts';
import { isWider } from '../../provide/mode-width.ts';
import type { ProvideMode } from '../../service/profiles.ts';
import type { Sections, Shared } from '../state.ts';
import { chooseProfileName } from '../to-facts.ts';
import type { ScheduledMode } from './desired-data-path.ts';

export interface GateKeeperParts
  extends Pick<Shared, 'state' | 'wakeups' | 'facts' | 'now'>,
    Pick<Sections, 'mode'> {
  readonly host: DataPathHost;
  readonly scheduledMode: ScheduledMode;
}

/**
 * Decides whether traffic may pass, and sees to it. The mode and its limit are written here alone.
 */
export interface GateKeeper {
  /** The mode that the owner wants now: by hand, else by the schedule, else configured. */
  chooseMode(): ProvideMode;
  /**
   * True where the mode that is wanted now shuts everyone out, or people whom the service may still
   * send: nothing may pass then.
   */
  mustClose(): boolean;
  /** Takes the speed limit that holds from now on; called before anything is opened. */
  takeLimit(limit: LineLimit | undefined): void;
  /**
   * The end of each pass, with what it made: grants, renews or ends the permit, as `mayForward`
   * decides. A device whose steps failed gets no new permit: alone, it keeps the one it has until
   * that runs out. Resolves with the time when the permit runs out, by `performance.now()`;
   * undefined: nothing may pass.
   * @throws command-failed
   */
  openOrClose(made: Pick<DataPath, 'table' | 'sources'>): Promise<number | undefined>;
  /**
   * After a pass that failed: decides the mode again, since the service may have to be told none by
   * now. Opens nothing, and the permit that the kernel holds runs out. Before a first pass went
   * well, nothing is decided.
   */
  reconsider(): Promise<void>;
  /**
   * Where a mode was chosen in which `mustClose` is true: decides it and ends the permit at once,
   * beside any pass. Never throws: what fails here, the next pass does.
   */
  closeNow(): Promise<void>;
}

export function createGateKeeper(parts: GateKeeperParts): GateKeeper {
  const { state, mode, host, wakeups, scheduledMode, facts, now } = parts;
  let granting: Promise<unknown> = Promise.resolve();
  let isForgotten = false;
  /**
   * The owner's mode: set by hand, else scheduled, else configured. Limits are applied later, by
   * `mayForward`.
   */
  const chooseMode = () =>
    state.overrides.current()?.mode ?? mode.scheduled ?? state.configuration.config.provide.mode;
  /**
   * True where the service is known to have a wider mode than the wanted one. One that lets no
   * device set its mode sends whom it likes.
   */
  const isWiderThere = () => {
    const { config } = state.configuration;
    const isServed = state.announcement.isServed ?? chooseProfileName(config) === 'documented';
    const has = state.confirmedMode.current();
    return isServed && has !== undefined && isWider(has, chooseMode());
  };
  const mustClose = () => chooseMode() === 'none' || isWiderThere();
  /** Ends the permit and drops what still waits to leave. */
  const close = () => Promise.all([revokePermit(host.exec), host.line.flush()]);
  /**
   * Puts the mode, and whether traffic may pass, into the state. A new mode is sent to the service.
   */
  const decide = async () => {
    const since = (before: Date | undefined) => before ?? now();
    const { isCapReached = false, isEnding = false } = state.usage.current() ?? {};
    mode.capReachedSince = isCapReached ? since(mode.capReachedSince) : undefined;
    mode.capEndingSince = isEnding ? since(mode.capEndingSince) : undefined;
    // A clock that was never set would tell another time of day: the schedule says nothing then.
    const isUnknown =
      !isClockSet(now().getTime()) &&
      state.overrides.current() === undefined &&
      state.configuration.config.provide.schedule.length > 0;
    mode.clockUnsetSince = isUnknown ? since(mode.clockUnsetSince) : undefined;
    mode.scheduled = (await scheduledMode(now()))?.mode;
    mode.widerSince = isWiderThere() ? since(mode.widerSince) : undefined;
    const before = mode.decision?.mode;
    mode.decision = mayForward(facts(), { now: now(), mode: chooseMode() });
    for (const source of state.sources.all) source.follow(mode.decision.mode);
    if (mode.decision.mode !== before) wakeups.announce.notify();
    return mode.decision;
  };
  return {
    chooseMode,
    mustClose,
    takeLimit(limit) {
      mode.limit = limit;
    },
    async openOrClose({ table, sources }) {
      const { gateway } = state.configuration.config;
      const decision = await decide();
      // The mode is checked once more, because `closeNow` may have been called meanwhile.
      if (decision.permit && !mustClose()) {
        const failed = sources.flatMap(({ device, failure }) => (failure ? [device] : []));
        const devices = decision.devices.filter((device) => !failed.includes(device));
        if (devices.length === 0) return state.path.openUntilMs;
        const openUntilMs = performance.now() + gateway.permit_seconds * 1000;
        const granted = grantPermit(host.exec, devices, gateway.permit_seconds);
        granting = granted.catch(toUndefined());
        await granted;
        isForgotten = false;
        return openUntilMs;
      }
      if (holdsPermit(table)) await close();
      if (!isForgotten && isOver(decision)) {
        isForgotten = true;
        await forgetConnections(host);
      }
      return undefined;
    },
    async reconsider() {
      if (mode.decision !== undefined) await decide();
    },
    async closeNow() {
      await granting;
      await Promise.all([close(), decide()]).catch(toUndefined());
    },
  };
}
