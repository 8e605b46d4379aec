import type { LoadedConfig } from '../config/load.ts';
import { createLineShaper } from '../data-path/line-shaper.ts';
import { createSelfTest, sendProbes } from '../data-path/self-test.ts';
import type { DataPathHost } from '../data-path/state.ts';
import type { Machine } from '../identity/load.ts';
import { createServiceClient } from '../service/client.ts';
import { profiles } from '../service/profiles.ts';
import { createTunnelSource } from '../source/wireguard/current-tunnel.ts';
import { toServiceContext } from '../source/wireguard/endpoint.ts';
import type { Exec } from '../system/exec.ts';
import { giveBackMemory } from '../system/give-back-memory.ts';
import type { KeepProgram } from '../system/kept-program.ts';
import { createLineProbe } from '../system/line-probe.ts';
import { createRestoreFile } from '../system/restore-file.ts';
import type { OnSetAside } from '../system/state-file.ts';
import { createHardwareReader, readCarried } from '../system/traffic.ts';
import { createDataPathLoop } from './pass/data-path-loop.ts';
import { createDeniedLists } from './pass/denied-lists.ts';
import { createHouseholdTick } from './pass/household-loop.ts';
import { createKernelWatch } from './pass/kernel-watch.ts';
import { createMeter } from './pass/meter.ts';
import { createOutsideTick } from './pass/outside-loop.ts';
import { createScheduledMode } from './pass/scheduled-mode.ts';
import { reload } from './reload.ts';
import { createWakeups, every, type Loop } from './run-loop.ts';
import { openState, type Shared } from './state.ts';
import { createAnnounceTick } from './talk/announce-loop.ts';
import { createServiceLoop } from './talk/service-loop.ts';
import { createServiceSession } from './talk/service-session.ts';
import { createLedgerLoop } from './tell/ledger-loop.ts';
import { createPhaseNotes } from './tell/phase-notes.ts';
import { createReport, createReportTick, delayClock } from './tell/report-loop.ts';
import { chooseProfileName } from './to-facts.ts';

export interface AgentParts extends Pick<Shared, 'log' | 'now' | 'random'> {
  readonly loaded: LoadedConfig;
  /** Reads the configuration again. @throws configuration-invalid */
  readonly load: () => Promise<LoadedConfig>;
  readonly exec: Exec;
  /** undefined where no program is kept running; then no changes are reported. */
  readonly keepProgram: KeepProgram | undefined;
  readonly machine?: Machine;
}

/**
 * Each loop asks again in its own time, so one try is enough: three tries of each call would triple
 * the load in an outage.
 */
export const triesPerCall = 1;
/**
 * The kernel closes the gateway when a probe is not refused. So this (ms) is the longest that a
 * hole in the fence stays open.
 */
const tryFenceMs = 8_000;
/**
 * A new fence drops answers to questions that were asked before it. So the service is asked after
 * the first pass, which wakes its loop, or after this time (ms).
 */
const firstPassMs = 10_000;
/**
 * Starting leaves most of the garbage behind, so memory is given back soon after it, and later
 * seldom, for what the ticks leave (ms).
 */
const firstGarbageMs = 10_000;
const garbageMs = 900_000;
/** The household needs nothing of this before the first consumer is served (ms). */
const firstHouseholdMs = 1_000;
/** The code that reads the schedule of reports is loaded when the start is over (ms). */
const firstReportMs = 3_000;

/**
 * The agent without its lifetime: its loops, and everything that commands, page and publishers are
 * given of it.
 */
export type Agent = Readonly<Awaited<ReturnType<typeof createAgent>>>;

/**
 * Composes the agent, beginning with what earlier runs kept. It asks and changes nothing yet.
 * @throws insecure-url
 */
export async function createAgent(parts: AgentParts) {
  const { loaded, load, keepProgram, machine = {}, log, now, random } = parts;
  const { config, credentials, stateDirectory: directory } = loaded;
  const onSetAside: OnSetAside = (path, keptAs, why) =>
    log.error({ path, keptAs, why }, 'a broken file was set aside');
  const certificateAuthority = loaded.service.certificateAuthority?.();
  const opened = await openState({ config, certificateAuthority, directory, onSetAside, now });
  const { state, sections, usage, overrides, confirmedMode, facts } = opened;
  const wakeups = createWakeups();
  const watch = createKernelWatch({ exec: parts.exec, keepProgram, wakeup: wakeups.dataPath });
  const { exec } = watch;
  const line = createLineShaper(exec);
  const restore = createRestoreFile(directory, 'restore', onSetAside);
  const host: DataPathHost = { exec, stateDirectory: directory, restore, line };
  const { contact } = sections;
  const client = createServiceClient({
    ...loaded.service,
    tries: triesPerCall,
    certificateAuthority: () => state.configuration.certificateAuthority,
    onAttempt: ({ outcome }) => {
      // No answer, or a portal's: of what else fails here, the loop of the renewals tells
      // whether it lasts.
      contact.isReachable = ![
        'service-unreachable',
        'answer-redirected',
        'answer-not-json',
      ].includes(outcome);
      if (outcome === 'ok') contact.lastContactAt = now();
    },
  });
  const profile = profiles[chooseProfileName(config)];
  const shared: Shared = {
    state,
    wakeups,
    client,
    profile,
    facts,
    log,
    now,
    random,
    directory,
    onSetAside,
  };

  const session = createServiceSession({ ...shared, credentials, machine });
  const service = createServiceLoop({ ...shared, service: sections.service, session });
  await service.restore();
  const meter = createMeter({ ...shared, counters: sections.counters, usage, exec });
  const selfTest = createSelfTest(exec, sendProbes);
  const phaseNotes = createPhaseNotes(shared);
  const dataPath = createDataPathLoop({
    ...shared,
    path: sections.path,
    mode: sections.mode,
    host,
    selfTest,
    watch,
    usage,
    meter,
    tunnelSource: createTunnelSource(
      () => state.service.registration?.tunnel,
      () =>
        toServiceContext(
          config.service.base_url,
          state.configuration.config.gateway.allow_destinations,
        ),
    ),
    refreshDenied: createDeniedLists({ ...shared, denied: sections.denied }),
    scheduledMode: createScheduledMode(() => state.configuration.config),
    readCarried,
    notePhase: phaseNotes.note,
  });
  const announce = createAnnounceTick({
    ...shared,
    announcement: sections.announcement,
    confirmedMode,
  });
  const outside = createOutsideTick({ ...shared, outside: sections.outside });
  const household = createHouseholdTick({
    ...shared,
    household: sections.household,
    line,
    probe: createLineProbe(),
    readCarried,
    readHardwareBytes: createHardwareReader(),
  });
  const { cron, ledger: isLedgerKept } = config.report;
  const { time_zone: timeZone } = config.provide;
  const ownTime = () => delayClock(now(), state.service.registration?.installId);
  const ledger = isLedgerKept
    ? createLedgerLoop({ ...shared, ledger: sections.ledger })
    : undefined;
  const history = ledger?.history;
  const report = createReport({ ...shared, figures: sections.figures, confirmedMode, history });

  const loops: readonly Loop[] = [
    { name: 'data path', tick: dataPath.tick, wakeup: wakeups.dataPath, maxSilenceMs: 120_000 },
    { name: 'kernel watch', tick: watch.run },
    { name: 'service', tick: service.tick, firstAfterMs: firstPassMs, wakeup: wakeups.service },
    { name: 'outside', tick: outside, wakeup: wakeups.outside },
    { name: 'announce', tick: announce, wakeup: wakeups.announce },
    { name: 'household', tick: household, firstAfterMs: firstHouseholdMs },
    {
      name: 'report',
      tick: createReportTick({ ...shared, cron, timeZone, report, now: ownTime }),
      firstAfterMs: firstReportMs,
    },
    { name: 'self-test', tick: every(tryFenceMs, selfTest.send) },
    { name: 'memory', tick: every(garbageMs, giveBackMemory), firstAfterMs: firstGarbageMs },
    ...(ledger === undefined
      ? []
      : [{ name: 'ledger', tick: ledger.tick, firstAfterMs: ledger.firstAfterMs }]),
  ];
  return {
    loops,
    host,
    facts,
    recent: phaseNotes.recent,
    health: phaseNotes.health,
    overrides,
    reload: () => reload({ ...shared, configuration: sections.configuration, load }),
    sample: meter.sample,
    enforce: dataPath.enforce,
    /** undefined without a ledger. */
    history,
    /** Stops forwarding. From now on status says that the agent is stopping. */
    beginStop: () => {
      sections.life.stoppingSince = now();
    },
    /** Writes the last totals. @throws state-unwritable */
    keepTotals: usage.close,
    async close() {
      await ledger?.close();
      await client.close();
    },
  };
}
