import type { Facts } from '../../health/facts.ts';
import { judgePhase } from '../../health/phase.ts';
import { pickServiceFigures } from '../../health/service-figures.ts';
import { isAbort, messageOf } from '../../lib/errors.ts';
import { addReading, type ByteWindow, countDayBytes, startByteWindow } from '../../report/byte-window.ts';
import type { Logger } from '../../report/logger.ts';
import { composeReportLine, type ReportTotals, readReportTotals } from '../../report/report-line.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { Profile } from '../../service/profiles.ts';
import type { ConfirmedMode } from '../confirmed-mode.ts';
import type { AgentState, FiguresSection, Wakeups } from '../state.ts';

export interface ReportParts {
  readonly state: Pick<AgentState, 'service'>;
  readonly figures: FiguresSection;
  readonly confirmedMode: ConfirmedMode;
  readonly wakeups: Pick<Wakeups, 'announce'>;
  readonly client: Pick<ServiceClient, 'call'>;
  readonly profile: Profile;
  readonly facts: () => Facts;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Logs one report: the service's figures and ours. A service that does not answer leaves the old figures. */
export type Report = (signal: AbortSignal) => Promise<void>;

export function createReport(parts: ReportParts): Report {
  let previous: ReportTotals | undefined;
  let window: ByteWindow | undefined;
  return async (signal) => {
    await readServiceFigures(parts, signal);
    const facts = parts.facts();
    window = addForwarded(window, facts);
    const report = judgePhase(facts, parts.now());
    parts.log.info(composeReportLine({ facts, report, previous, dayBytes: window && countDayBytes(window) }), 'report');
    previous = readReportTotals(facts);
  };
}

/** undefined before the first reading of the counters. */
function addForwarded(window: ByteWindow | undefined, { gateway }: Facts): ByteWindow | undefined {
  if (gateway.forwardedBytes === undefined) return window;
  const bytes = gateway.forwardedBytes.up + gateway.forwardedBytes.down;
  const nowMs = performance.now();
  return window === undefined ? startByteWindow(nowMs, bytes) : addReading(window, nowMs, bytes);
}

async function readServiceFigures(parts: ReportParts, signal: AbortSignal): Promise<void> {
  const { state, figures, client, profile, log } = parts;
  const { networkJwt, registration } = state.service;
  if (networkJwt === undefined || registration === undefined) return;
  try {
    const keep = ({ clientId }: { readonly clientId?: string | undefined }) => clientId === registration.clientId;
    const answer = await client.call('providers', undefined, { token: networkJwt, signal, keep });
    figures.service = pickServiceFigures(answer, registration.clientId, profile);
    await noteReadBack(parts);
  } catch (error) {
    if (isAbort(error) && signal.aborted) return;
    log.debug({ reason: messageOf(error) }, 'the service gave no statistics');
  }
}

/** When the mode was changed at the service, ours is no longer confirmed, and is sent again. */
async function noteReadBack({ figures, confirmedMode, wakeups }: ReportParts): Promise<void> {
  const readBack = figures.service?.provideMode;
  if (readBack === undefined || readBack === confirmedMode.current()) return;
  await confirmedMode.note(readBack);
  wakeups.announce.notify();
}
