import { join } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import type { Supervision } from '../config/supervision.ts';
import { closeDataPath, type DataPathDoors, removeDataPath } from '../data-path/reconcile.ts';
import { openAccounting } from '../data-path/usage-accounting.ts';
import { TributaryError } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import { createLogger, type Logger } from '../report/logger.ts';
import { createServiceClient } from '../service/client.ts';
import { profiles } from '../service/profiles.ts';
import { isLoopback } from '../service/url.ts';
import { exec } from '../system/exec.ts';
import { ensureDirectory } from '../system/files.ts';
import { giveBackMemory } from '../system/give-back-memory.ts';
import { acquireLock } from '../system/lock.ts';
import { createRestoreFile } from '../system/restore-file.ts';
import type { OnSetAside } from '../system/state-file.ts';
import { createTunnelSource } from '../tunnel/current-tunnel.ts';
import { version } from '../version.ts';
import { createHeartbeats } from './heartbeats.ts';
import { createAnnounceRound } from './loops/announce-loop.ts';
import { createDataPathKeeper } from './loops/data-path-loop.ts';
import { createLedgerKeeper } from './loops/ledger-loop.ts';
import { createMemoryRound } from './loops/memory-loop.ts';
import { createReport } from './loops/report-loop.ts';
import { createReportTick } from './loops/report-schedule.ts';
import { type Loop, runLoop } from './loops/run-loop.ts';
import { createServiceRound } from './loops/service-loop.ts';
import { createModeDecision } from './mode-decision.ts';
import { openNotifiers } from './notifiers.ts';
import { openOverrides } from './overrides.ts';
import { createPhaseWatch } from './phase-watch.ts';
import { createReload } from './reload.ts';
import { createSampler } from './sampler.ts';
import { createServiceSession } from './service-session.ts';
import { startStatus } from './start-status.ts';
import { type Board, createBoard, toFacts, toProfileName } from './state.ts';

export interface AgentOptions {
  readonly loaded: LoadedConfig;
  /** Reads the configuration anew, for SIGHUP. @throws configuration-invalid */
  readonly load: () => Promise<LoadedConfig>;
  readonly supervision: Supervision;
  /** At the end the firewall's table stays, closed, for the next start: whoever removes the namespace removes it. */
  readonly keepsFence: boolean;
}

/**
 * The agent, from its lock to the last rule removed; resolves after SIGTERM or SIGINT.
 * @throws already-running, state-unreadable, state-unwritable, insecure-url; what kept the tear-down from being whole
 */
export async function runAgent({ loaded, load, supervision, keepsFence }: AgentOptions): Promise<void> {
  const { config, stateDirectory } = loaded;
  const now = () => new Date();
  const log = createLogger(config.log, { isTty: process.stdout.isTTY === true, destination: process.stdout });
  await ensureDirectory(stateDirectory);
  await using _lock = await acquireLock(join(stateDirectory, 'agent.lock'));
  log.info({ version, node: process.versions.node, stateDirectory, configuration: loaded.file }, 'starting');
  for (const warning of loaded.warnings) log.warn({ warning }, 'configuration');

  const board = createBoard(config, now);
  const onSetAside: OnSetAside = (path, keptAs, why) => log.error({ path, keptAs, why }, 'a broken file was set aside');
  const restore = createRestoreFile(stateDirectory, 'restore', onSetAside);
  const doors: DataPathDoors = { exec, stateDirectory, restore };
  const kept = { directory: stateDirectory, onSetAside, now };
  const accounting = await openAccounting({ ...kept, provide: () => board.config.provide });
  const overrides = await openOverrides({ ...kept, board });
  const facts = () => toFacts(board, version);
  const watch = createPhaseWatch({ facts, log, now });
  const client = createServiceClient({
    baseUrl: config.service.base_url,
    allowInsecureHttp: config.service.allow_insecure_http,
    onAttempt: ({ outcome }) => noteContact(board, outcome !== 'service-unreachable', now()),
  });
  const { credentials } = loaded;
  const session = createServiceSession({ client, board, credentials, stateDirectory, onSetAside, log });
  const profile = profiles[toProfileName(config)];
  let networkJwt: Secret | undefined;
  const token = () => networkJwt;
  const onToken = (next: Secret | undefined) => {
    networkJwt = next;
  };
  const tunnelSource = createTunnelSource(
    () => board.registration?.tunnel,
    () => isLoopback(new URL(config.service.base_url).hostname),
  );
  const decideMode = createModeDecision({ board, accounting, now });
  const keeper = createDataPathKeeper({ board, doors, accounting, tunnelSource, decideMode, watch, now });
  const serviceRound = createServiceRound({ board, session, onToken, now, random: Math.random });
  await session.restore().catch((error: unknown) => {
    if (!(error instanceof TributaryError)) throw error;
    board.setProblem('state', error);
  });
  const { rememberConfirmed } = session;
  const announceRound = createAnnounceRound({ board, client, profile, token, rememberConfirmed });
  const report = createReport({ board, client, profile, token, facts, log, now });
  const { cron } = config.report;
  const reportTick = createReportTick({ cron, timeZone: config.provide.time_zone, report, now });

  const ledger = config.report.ledger
    ? createLedgerKeeper({ ...kept, board, accounting, client, profile, token, facts, log, random: Math.random })
    : undefined;
  const heartbeats = createHeartbeats(() => performance.now());
  const reload = createReload({ board, load, log });
  const sample = createSampler(board, exec);
  const enforce = keeper.nextPass;
  const { pageDescriptor, watchdogMs } = supervision;
  const supervisor = supervision.isNotified
    ? (await import('./systemd.ts')).openSupervisor({ watchdogMs, facts, heartbeats, log, now })
    : undefined;
  // From here on there is something to take down.
  using stop = listenForStop(() => void (supervisor?.whileReloading(reload.onSignal) ?? reload.onSignal()));
  const status = await startStatus({
    loaded,
    pageDescriptor,
    facts,
    watch,
    heartbeats,
    overrides,
    reload,
    sample,
    enforce,
    history: ledger?.history,
    log,
    now,
  });

  const notifiers = await openNotifiers({
    loaded,
    facts,
    overrides,
    sample,
    enforce,
    history: ledger?.history,
    log,
    now,
  });
  const { dataPath, service, announce } = board.wakes;
  const rows: readonly Loop[] = [
    { name: 'data path', tick: keeper.round, wakeup: dataPath, maxSilenceMs: 120_000 },
    { name: 'service', tick: serviceRound, wakeup: service },
    { name: 'announce', tick: announceRound, wakeup: announce },
    { name: 'report', tick: reportTick },
    { name: 'memory', tick: createMemoryRound(giveBackMemory) },
    ...(ledger === undefined ? [] : [{ name: 'ledger', tick: ledger.round }]),
    ...notifiers,
    ...(supervisor === undefined ? [] : [{ name: 'systemd', tick: supervisor.round }]),
  ];
  const loops = rows.map((loop) => runLoop(loop, stop.signal, heartbeats));
  let leftBehind: TributaryError | undefined;
  try {
    // A loop that throws has met a bug: it takes the agent down, and the permit keeps the fence up meanwhile.
    await Promise.all(loops);
  } finally {
    board.stoppingSince = now();
    log.info('stopping');
    stop.now();
    await supervisor?.stopping();
    await Promise.allSettled(loops);
    const takeDown = keepsFence ? closeDataPath : removeDataPath;
    leftBehind = await sayFailure(() => takeDown(doors, board.config.tunnel.interface, accounting.close), log);
    await ledger?.close();
    await client.close();
    await status.close();
    log.info('stopped');
  }
  if (leftBehind !== undefined) throw leftBehind;
}

interface Stop extends Disposable {
  readonly signal: AbortSignal;
  now(): void;
}

/** One signal for the whole process, from SIGTERM and SIGINT; SIGHUP reads the configuration anew. */
function listenForStop(onHangUp: () => void): Stop {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', onHangUp);
  return {
    signal: controller.signal,
    now: stop,
    [Symbol.dispose]() {
      process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', onHangUp);
    },
  };
}

function noteContact(board: Board, isReachable: boolean, at: Date): void {
  board.isServiceReachable = isReachable;
  if (isReachable) board.lastContactAt = at;
}

/** What can't be removed does not keep the rest of the agent from stopping; it is said, and returned for the exit code. */
async function sayFailure(takeDown: () => Promise<unknown>, log: Logger): Promise<TributaryError | undefined> {
  try {
    await takeDown();
    return undefined;
  } catch (error) {
    if (!(error instanceof TributaryError)) throw error;
    log.error({ reason: error.message }, 'tearing down failed; `tributary cleanup` removes what is left');
    return error;
  }
}
