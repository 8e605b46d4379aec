import { createLineShaper } from '../../data-path/line-shaper.ts';
import { revokePermit } from '../../data-path/permit.ts';
import { createSegmentCount } from '../../data-path/segment-count.ts';
import { createSelfTest, sendProbes } from '../../data-path/self-test.ts';
import type { DataPathHost } from '../../data-path/state.ts';
import { toUndefined } from '../../errors/codes.ts';
import type { Phase } from '../../health/phase.ts';
import type { Exec } from '../../system/exec.ts';
import type { KeepProgram } from '../../system/kept-program.ts';
import { createLineProbe, createQuickLookUp } from '../../system/line-probe.ts';
import { createPortsReader } from '../../system/listening-ports.ts';
import { findPing } from '../../system/ping.ts';
import { createRestoreFile } from '../../system/restore-file.ts';
import { createHardwareReader, readCarried } from '../../system/traffic.ts';
import { every, type Loop } from '../run-loop.ts';
import type { OpenedState, Shared } from '../state.ts';
import { createConnectionsLoop } from './connections-loop.ts';
import { createDataPathLoop, type DataPathLoop } from './data-path-loop.ts';
import { createDeniedLists } from './denied-lists.ts';
import { createScheduledMode } from './desired-data-path.ts';
import { createHouseholdLoop } from './household-loop.ts';
import { createHouseholdProbe } from './household-probe.ts';
import { createKernelWatch } from './kernel-watch.ts';
import { createMeter, type Meter } from './meter.ts';
import { openSources } from './open-sources.ts';
import { createOutsideLoop } from './outside-loop.ts';
import { createPresentWay } from './present-way.ts';

export interface CreatePassParts
  extends Pick<Shared, 'wakeups' | 'facts' | 'log' | 'now' | 'names' | 'directory' | 'onSetAside'> {
  readonly opened: Pick<OpenedState, 'state' | 'sections' | 'usage'>;
  readonly exec: Exec;
  /** undefined where no program is kept running; then no changes are reported. */
  readonly keepProgram: KeepProgram | undefined;
  /** By default the sources that the configuration asks for. */
  readonly openSources?: typeof openSources | undefined;
  readonly runtimeDirectory?: DataPathHost['runtimeDirectory'];
  /** Called after every pass: looks at the phase, remembers it, and says which it is. */
  readonly notePhase: () => Phase;
}

/** All that holds the traffic: the pass of the data path, and what it is told from outside. */
export interface Pass {
  readonly loops: readonly Loop[];
  /** What the passes work on; the tear-down at the agent's end works on it too. */
  readonly host: DataPathHost;
  readonly sample: Meter['sample'];
  readonly enforce: DataPathLoop['enforce'];
  /**
   * Ends what runs beside the agent for its sources, and the permit before that. Called before the
   * tear-down, which takes their devices. Never throws.
   */
  close(): Promise<void>;
}

/**
 * The kernel closes the gateway when a probe is not refused. So this (ms) is the longest that a
 * hole in the fence stays open.
 */
const tryFenceMs = 8_000;

/** How often (ms) it is looked whether the tunnel's other end still says something. */
const followEachMs = 5_000;

/** Changes nothing before its loops run. */
export async function createPass(parts: CreatePassParts): Promise<Pass> {
  const { opened, wakeups, facts, log, now, directory, onSetAside, keepProgram } = parts;
  const { state, sections, usage } = opened;
  const watch = createKernelWatch({
    exec: parts.exec,
    keepProgram,
    wakeup: wakeups.dataPath,
  });
  const { exec } = watch;
  const presentWay = createPresentWay();
  const line = createLineShaper(exec);
  const restore = createRestoreFile(directory, 'restore', onSetAside);
  const { all: sources, wireGuard } = await (parts.openSources ?? openSources)({
    config: () => state.configuration.config,
    authority: () => state.configuration.certificateAuthority,
    host: { exec, stateDirectory: directory },
    onSetAside,
    issued: () => state.service.registration,
    way: () => presentWay(state.path.observed),
    renewSeconds: () => state.service.renewSeconds,
    isServiceAsked: () => state.contact.isReachable !== undefined,
    now,
    names: parts.names,
    onChange: () => wakeups.dataPath.notify(),
    onSaid: (source, line) => log.info({ source }, line),
  });
  Object.assign(sections.sources, { all: sources, wireGuard });
  const drivers = sources.map(({ driver }) => driver);
  const host: DataPathHost = {
    exec,
    stateDirectory: directory,
    restore,
    line,
    sources: drivers,
    configuredUplink: () => state.configuration.config.gateway.uplink,
    runtimeDirectory: parts.runtimeDirectory,
  };
  const meter = createMeter({ state, counters: sections.counters, usage, exec });
  const selfTest = createSelfTest(exec, sendProbes);
  const dataPath = createDataPathLoop({
    state,
    path: sections.path,
    mode: sections.mode,
    wakeups,
    facts,
    now,
    host,
    watch,
    usage,
    meter,
    selfTest,
    segments: createSegmentCount(exec, line),
    refreshDenied: createDeniedLists({ state, denied: sections.denied, now }),
    scheduledMode: createScheduledMode(() => state.configuration.config),
    readCarried,
    readListeningPorts: createPortsReader(),
    notePhase: parts.notePhase,
  });
  const outside = createOutsideLoop({ state, outside: sections.outside, wakeups, now });
  const connections = createConnectionsLoop({ connections: sections.connections, now });
  const household = createHouseholdLoop({
    state,
    household: sections.household,
    line,
    probe: createHouseholdProbe({
      findPing: keepProgram && (() => findPing({ exec: parts.exec, keepProgram })),
      connect: createLineProbe(),
      resolve: createQuickLookUp(),
      log,
    }),
    readCarried,
    readHardwareBytes: createHardwareReader(),
    log,
    now,
  });
  const endpoint = every({
    name: 'endpoint',
    isOptional: true,
    isOnBeat: true,
    firstAfterMs: followEachMs,
    waitMs: followEachMs,
    async work() {
      const rxBytes = wireGuard && readCarried(wireGuard.driver.device)?.rxBytes;
      if (await wireGuard?.followName(rxBytes)) wakeups.dataPath.notify();
    },
  });
  const selfTestLoop = every({
    name: 'self-test',
    isOnBeat: true,
    waitMs: tryFenceMs,
    work: selfTest.send,
  });
  return {
    loops: [dataPath, watch, outside, connections, household, endpoint, selfTestLoop],
    host,
    sample: meter.sample,
    enforce: dataPath.enforce,
    async close() {
      // What ends a source properly may take a while, and nothing passes meanwhile.
      if (state.path.openUntilMs !== undefined)
        await revokePermit(exec).catch(toUndefined('command-failed', 'missing-program'));
      // One that cannot be ended stops no other, and loses its device all the same.
      await Promise.all(sources.map((source) => source.close().catch(toUndefined())));
    },
  };
}
