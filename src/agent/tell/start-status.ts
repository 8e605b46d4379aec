import { hostname } from 'node:os';
import { findPageWarnings } from '../../config/combinations.ts';
import { defaultConfigPath } from '../../config/config-file.ts';
import { listSettings, type SettingChange } from '../../config/settings.ts';
import { hasCode, TributaryError } from '../../errors/codes.ts';
import { judgePhase } from '../../health/phase.ts';
import { formatHostPort, type HostPort } from '../../lib/host-port.ts';
import { renderMetrics } from '../../report/metrics.ts';
import { renderProcessMetrics } from '../../report/process-metrics.ts';
import { createStatusServer, type StatusListen, type StatusServer } from '../../status/server.ts';
import type { StatusSource } from '../../status/source.ts';
import { readProcessFigures } from '../../system/process-figures.ts';
import type { Agent, AgentParts } from '../create-agent.ts';
import type { Failures } from '../failures.ts';
import type { Heartbeats } from '../run-loop.ts';

export interface StartStatusParts
  extends Pick<AgentParts, 'loaded' | 'load' | 'log' | 'now'>,
    Pick<
      Agent,
      'facts' | 'recent' | 'health' | 'overrides' | 'reload' | 'sample' | 'enforce' | 'history'
    > {
  /** A listening socket that was handed over; undefined without one. */
  readonly pageDescriptor: number | undefined;
  readonly heartbeats: Heartbeats;
  readonly failures: Pick<Failures, 'note'>;
  /** Writes a setting into the configuration; the reload follows. */
  readonly writeSetting: (change: SettingChange) => Promise<void>;
  readonly logLines: StatusSource['logLines'];
  /** Ends the agent, which is then started again; undefined where nobody would. */
  readonly restart: (() => void) | undefined;
}

/**
 * Starts the page, the metrics and the control socket; the socket is made at the first place that
 * can be used.
 * @throws already-running, state-unwritable
 */
export async function startStatus(parts: StartStatusParts): Promise<StatusServer> {
  const {
    loaded,
    pageDescriptor,
    facts,
    heartbeats,
    overrides,
    reload,
    sample,
    enforce,
    log,
    now,
  } = parts;
  const source: StatusSource = {
    ...parts,
    stateDirectory: loaded.stateDirectory,
    configFile: loaded.file ?? defaultConfigPath,
    refresh: sample,
    stalledLoops: heartbeats.stalled,
    noteFailure: (error) => parts.failures.note('page', error),
    metrics() {
      const [current, at] = [facts(), now()];
      return [
        renderMetrics({ facts: current, report: judgePhase(current, at), now: at }),
        renderProcessMetrics(readProcessFigures(), current.startedAt),
      ].join('');
    },
    pageToken: loaded.credentials.statusToken,
    control: {
      setOverride: (...order) => enforce(overrides.set(...order)),
      clearOverride: () => enforce(overrides.clear()),
      reload: () => reload().then(() => enforce()),
      // One pass sends the probes, and the next one judges them.
      selfTest: () => enforce().then(() => enforce()),
      restart: parts.restart,
      settings: async () => listSettings(await parts.load()),
      async changeSetting(change) {
        await parts.writeSetting(change);
        await reload();
        await enforce();
      },
    },
  };
  let failure: TributaryError | undefined;
  for (const socketPath of loaded.socketPaths) {
    const server = createStatusServer({
      source,
      listen: chooseListen(loaded.config.status.listen, pageDescriptor),
      socketPath,
      ownNames: () => [hostname(), ...loaded.config.status.allowed_hosts],
      onPageProblem: (problem) =>
        log.warn({ reason: problem.message }, 'the status page is not served'),
    });
    try {
      await server.keepOpen();
      const page = server.pageAddress();
      log.info({ socket: socketPath, page: page && formatHostPort(page) }, 'status');
      if (pageDescriptor !== undefined && page !== undefined) warnOfPage(parts, page);
      return server;
    } catch (error) {
      if (!hasCode(error, 'state-unwritable')) throw error;
      failure = error;
    }
  }
  throw (
    failure ?? new TributaryError('state-unwritable', 'there is no place for the control socket')
  );
}

/**
 * A socket that was handed over may listen elsewhere than configured, as where only the agent's
 * environment names the address. Loading the configuration has already warned about the configured
 * place.
 */
function warnOfPage({ loaded, log }: StartStatusParts, listen: HostPort): void {
  const [here, configured] = [listen, loaded.config.status.listen].map(formatHostPort);
  const elsewhere = `status.listen: the page is on ${here}, where systemd holds it open, and not on ${configured}; see: systemctl cat tributary.socket`;
  const warnings = [
    ...(here === configured ? [] : [elsewhere]),
    ...findPageWarnings('the socket handed over', listen, loaded.credentials.statusToken),
  ];
  for (const warning of warnings) log.warn({ warning }, 'configuration');
}

/**
 * A socket that was handed over wins over the configured address. undefined for port 0, which means
 * no page.
 */
function chooseListen(
  listen: HostPort,
  fileDescriptor: number | undefined,
): StatusListen | undefined {
  if (listen.port === 0) return undefined;
  return fileDescriptor === undefined ? listen : { fileDescriptor };
}
