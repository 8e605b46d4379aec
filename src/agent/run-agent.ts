import { join } from 'node:path';
import type { SettingChange } from '../config/settings.ts';
import type { Supervision } from '../config/supervision.ts';
import { closeDataPath, removeDataPath } from '../data-path/tear-down.ts';
import { messageOf, type TributaryError, toFailure, toUndefined } from '../errors/codes.ts';
import { judgePhase } from '../health/phase.ts';
import { readMachine } from '../identity/load.ts';
import { createWakeup } from '../lib/wakeup.ts';
import { createLogTail } from '../report/log-tail.ts';
import { createLogger, type Logger } from '../report/logger.ts';
import { explainLostState } from '../system/container-state.ts';
import { endProcess } from '../system/end-process.ts';
import { type Exec, exec as realExec } from '../system/exec.ts';
import { ensureDirectory, sweepTemporaryFiles } from '../system/files.ts';
import { type KeepProgram, keepProgram } from '../system/kept-program.ts';
import { acquireLock, claimNamespace } from '../system/lock.ts';
import { type LogOutput, openLogOutput } from '../system/log-output.ts';
import { createNotify } from '../system/notify.ts';
import { createTalkingExec } from '../system/talking-exec.ts';
import { version } from '../version.ts';
import { type Agent, type AgentParts, createAgent } from './create-agent.ts';
import { endInOrder } from './end-agent.ts';
import { createFailures } from './failures.ts';
import { listenForStop } from './listen-for-stop.ts';
import { watchProgram } from './replaced-program.ts';
import { createHeartbeats, createLoopBeat, type Loop, runLoop } from './run-loop.ts';
import { openNotifiers } from './tell/notifiers.ts';
import { startStatus } from './tell/start-status.ts';
import { createStatusLoop } from './tell/status-loop.ts';

export interface AgentOptions extends Pick<AgentParts, 'loaded' | 'load'> {
  readonly supervision: Supervision;
  /** Writes a setting from the page into the configuration. */
  readonly writeSetting: (change: SettingChange) => Promise<void>;
  /**
   * True where the firewall's table stays at the end, closed, for the next start. Removing a
   * namespace removes its table too.
   */
  readonly keepsFence: boolean;
  /** By default this process and the real programs. */
  readonly surroundings?: Surroundings;
}

interface Surroundings {
  readonly exec: Exec;
  /** undefined where no program is kept running beside the agent. */
  readonly keepProgram?: KeepProgram;
  /** undefined where the agent changes no network. */
  readonly claimNamespace?: typeof claimNamespace;
  /** By default the sources that the configuration asks for. */
  readonly openSources?: AgentParts['openSources'];
  readonly signals: Pick<NodeJS.Process, 'on' | 'off'>;
  /** Where the log goes. */
  readonly stdout: Pick<LogOutput, 'write'> & Partial<LogOutput>;
  /** Ends the process where the end of the agent takes too long; undefined where nothing does. */
  readonly exit?: (code?: number) => void;
}

const openReal = (): Surroundings => ({
  exec: realExec,
  keepProgram,
  claimNamespace,
  signals: process,
  stdout: openLogOutput(1),
  exit: endProcess,
});

/**
 * Runs the agent from its lock to the last removed rule. Resolves after SIGTERM or SIGINT.
 * @throws already-running, state-unreadable, state-unwritable, insecure-url; what kept the
 * tear-down from being complete
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { loaded, load, writeSetting, supervision, keepsFence } = options;
  const { surroundings = openReal() } = options;
  const { signals, stdout } = surroundings;
  const { config, stateDirectory } = loaded;
  const now = () => new Date();
  const tail = createLogTail(stdout, now);
  const log = createLogger(config.log, {
    isTty: stdout.isTTY === true,
    isJournal: supervision.isJournal,
    destination: tail,
  });
  stdout.onDropped?.((lines) => log.warn({ lines }, 'lines of the log were lost before this one'));
  await ensureDirectory(stateDirectory);
  await using _lock = await acquireLock(join(stateDirectory, 'agent.lock'));
  await using _namespace = await surroundings.claimNamespace?.();
  for (const folder of [stateDirectory, join(stateDirectory, 'ledger')])
    await sweepTemporaryFiles(folder, now());
  log.info(
    { version, node: process.versions.node, stateDirectory, configuration: loaded.file },
    'starting',
  );
  for (const warning of loaded.warnings) log.warn({ warning }, 'configuration');
  const lost = await explainLostState(stateDirectory);
  if (lost !== undefined) log.warn({ reason: lost }, 'the state is not kept');

  const program = await watchProgram(process.argv[1] ?? '', {
    isStartedAgain: supervision.notifySocket !== undefined,
    log,
  });
  const failures = createFailures(log, (error) => void program.noteMissing(error));
  const kept = surroundings.keepProgram && createTalkingExec(surroundings.exec);
  const agent = await createAgent({
    loaded,
    load,
    exec: kept?.exec ?? surroundings.exec,
    keepProgram: surroundings.keepProgram,
    ...(surroundings.openSources && { openSources: surroundings.openSources }),
    runtimeDirectory: supervision.runtimeDirectory,
    machine: await readMachine(),
    logOutput: stdout,
    failures,
    log,
    now,
    random: Math.random,
  });
  const heartbeats = createHeartbeats();
  const { pageDescriptor, watchdogMs, notifySocket } = supervision;
  const supervisor = notifySocket
    ? (await import('./systemd.ts')).createSupervisor({
        notify: createNotify(realExec, notifySocket),
        watchdogMs,
        report: () => judgePhase(agent.facts(), now()),
        stalledLoops: heartbeats.stalled,
        log,
      })
    : undefined;
  const reloaded = createWakeup();
  // SIGHUP expects no answer: log and `status` report the result. Any other failure is a bug, and
  // the configuration before stays in force.
  const reload = () => {
    reloaded.notify();
    return agent
      .reload()
      .catch(toUndefined())
      .catch((error: unknown) => failures.note('reload', error));
  };
  // From here on there is something to tear down.
  using stop = listenForStop(signals, {
    hangUp: () => void (supervisor?.whileReloading(reload) ?? reload()),
    uncaught: (error) => log.error({ reason: messageOf(error) }, 'an error that nothing caught'),
  });
  const shown = { ...agent, loaded, log, now };
  const status = await startStatus({
    ...shown,
    load,
    writeSetting,
    pageDescriptor,
    heartbeats,
    failures,
    logLines: tail.lines,
    // Only of systemd it is known that it starts the agent again.
    restart: notifySocket === undefined ? undefined : stop.now,
  });
  const loops: readonly Loop[] = [
    ...agent.loops,
    ...(await openNotifiers({ ...shown, page: status.pageAddress() })),
    createStatusLoop({ status, log, wakeup: reloaded }),
    ...(supervisor === undefined ? [] : [supervisor]),
  ];
  const surrounding = { heartbeats, failures, beat: createLoopBeat() };
  const running = loops.map((loop) => runLoop(loop, stop.signal, surrounding));
  let leftBehind: TributaryError | undefined;
  let failure: unknown;
  try {
    // A loop that throws has met a bug. It ends the agent, and the fence stays closed once the
    // permit runs out.
    await Promise.all([...running, stop.untilCrash, program.untilNeeded(stop.signal)]);
  } finally {
    agent.beginStop();
    log.info('stopping');
    stop.now();
    failure = await endInOrder(
      [
        { doing: 'telling the supervisor', run: () => supervisor?.stopping() },
        // One of them may wait for a disk.
        { doing: 'ending the loops', run: () => Promise.allSettled(running), patienceMs: 8_000 },
        { doing: 'ending the sources', run: agent.endSources, patienceMs: 5_000 },
        {
          doing: 'taking down the data path',
          async run() {
            leftBehind = await takeDown(agent, { keepsFence, log });
          },
        },
        { doing: 'closing the agent', run: () => agent.close(), patienceMs: 3_000 },
        { doing: 'ending programs', run: () => kept?.close() },
        { doing: 'closing status', run: () => status.close() },
      ],
      { log, exit: surroundings.exit },
    );
    log.info('stopped');
    await stdout.flush?.();
  }
  // An error of a loop never comes here: it is thrown already.
  if (failure !== undefined) throw failure;
  if (leftBehind !== undefined) throw leftBehind;
}

/**
 * Tears everything down. What cannot be removed does not keep the rest from stopping; it is logged,
 * and returned for the exit code.
 */
async function takeDown(
  { host, keepTotals }: Agent,
  { keepsFence, log }: Pick<AgentOptions, 'keepsFence'> & { readonly log: Logger },
): Promise<TributaryError | undefined> {
  const work = keepsFence ? closeDataPath : removeDataPath;
  const done = work(host, keepTotals);
  const failure = await done.then(() => undefined, toFailure());
  if (failure)
    log.error(
      { reason: failure.message },
      'tearing down failed; `tributary cleanup` removes what is left',
    );
  return failure;
}
