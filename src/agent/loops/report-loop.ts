import type { Facts } from '../../health/facts.ts';
import { toPhase } from '../../health/phase.ts';
import { toServiceFigures } from '../../health/service-figures.ts';
import { isAbort, messageOf } from '../../lib/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import { addReading, type ByteWindow, countDayBytes, startByteWindow } from '../../report/byte-window.ts';
import type { Logger } from '../../report/logger.ts';
import { composeReportLine, type ReportTotals, readReportTotals } from '../../report/report-line.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { Profile } from '../../service/profiles.ts';
import type { Board } from '../state.ts';

export interface ReportParts {
  readonly board: Board;
  readonly client: ServiceClient;
  readonly profile: Profile;
  readonly token: () => Secret | undefined;
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
    const { up, down } = facts.gateway.forwardedBytes;
    const nowMs = performance.now();
    window = window === undefined ? startByteWindow(nowMs, up + down) : addReading(window, nowMs, up + down);
    const report = toPhase(facts, parts.now());
    parts.log.info(composeReportLine({ facts, report, previous, dayBytes: countDayBytes(window) }), 'report');
    previous = readReportTotals(facts);
  };
}

async function readServiceFigures({ board, client, profile, token, log }: ReportParts, signal: AbortSignal) {
  const networkJwt = token();
  const clientId = board.registration?.clientId;
  if (networkJwt === undefined || clientId === undefined) return;
  try {
    const answer = await client.call('providers', undefined, { token: networkJwt, signal });
    board.serviceFigures = toServiceFigures(answer, clientId, profile);
    takeReadBack(board);
  } catch (error) {
    if (isAbort(error) && signal.aborted) return;
    log.debug({ reason: messageOf(error) }, 'the service gave no statistics');
  }
}

/** When the mode was changed at the service, ours is no longer confirmed, and is sent again. */
function takeReadBack(board: Board): void {
  const readBack = board.serviceFigures?.provideMode;
  if (readBack === undefined || readBack === board.confirmedMode) return;
  board.confirmedMode = readBack;
  board.wakes.announce.notify();
}
