import { judgePhase } from '../../health/phase.ts';
import { pickServiceFigures } from '../../health/service-figures.ts';
import { isAbort, messageOf } from '../../lib/errors.ts';
import { untilFound } from '../../lib/once.ts';
import { dayMs, hourMs, minuteMs } from '../../lib/units.ts';
import { createSchedule } from '../../provide/schedule.ts';
import type { HistoryQuestion, HistoryRow } from '../../report/history.ts';
import { composeReportLine, type ReportTotals } from '../../report/report-line.ts';
import { clipHours, findMoment } from '../../report/same-moment.ts';
import type { ConfirmedMode } from '../kept-choices.ts';
import type { Loop, Wakeups } from '../run-loop.ts';
import type { AgentState, Sections, Shared } from '../state.ts';

export interface ReportParts
  extends Pick<Shared, 'client' | 'profile' | 'facts' | 'log' | 'now'>,
    Pick<Sections, 'figures'> {
  readonly state: Pick<AgentState, 'service'>;
  readonly confirmedMode: ConfirmedMode;
  readonly wakeups: Pick<Wakeups, 'announce'>;
  /** Reads the ledger's rows; undefined without a ledger. */
  readonly history: ((question: HistoryQuestion) => Promise<readonly HistoryRow[]>) | undefined;
}

/**
 * Logs one report: the service's figures and ours. If the service does not answer, the old figures
 * stay.
 */
export function createReport(parts: ReportParts): (signal: AbortSignal) => Promise<void> {
  let previous: ReportTotals | undefined;
  return async (signal) => {
    await readServiceFigures(parts, signal);
    await readProvided(parts, signal);
    const facts = parts.facts();
    const line = composeReportLine(facts, judgePhase(facts, parts.now()), previous);
    parts.log.info(line, 'report');
    previous = line.total;
  };
}

export interface ReportLoopParts extends Pick<Shared, 'facts' | 'now' | 'random'> {
  readonly cron: string;
  readonly timeZone: string | undefined;
  readonly report: (signal: AbortSignal) => Promise<void>;
}

/**
 * A clock that is up to 15 minutes late, depending on the installation (16 hex digits). So one cron
 * expression fires at another time on each device.
 */
export function delayClock(now: Date, installId = '0'): Date {
  return new Date(
    now.getTime() - (Number.parseInt(installId.slice(0, 8), 16) / 2 ** 32) * 15 * minuteMs,
  );
}

/** The code that reads the schedule of reports is loaded when the start is over (ms). */
const firstAfterMs = 3_000;

/**
 * Reports by the configured schedule. node-cron's own timers are not used, because they load Intl,
 * which takes several MB. A first report is made 1 to 9 minutes after the device first provided,
 * when the service has figures.
 */
export function createReportLoop(parts: ReportLoopParts): Loop {
  const { cron, timeZone, report, facts, now } = parts;
  const openSchedule = untilFound(() => createSchedule([{ cron, mode: 'default' }], timeZone));
  let lastFiredMs: number | undefined;
  let isFirst = true;
  let providingTicks = 0;
  const firstTick = 2 + Math.floor(parts.random() * 8);
  const tick = async (signal: AbortSignal) => {
    const schedule = await openSchedule();
    const firedMs = schedule.at(now())?.since.getTime();
    // The times are compared for equality, because a clock that was put back must not silence the
    // report.
    const isDue = !isFirst && firedMs !== lastFiredMs;
    if (providingTicks > 0 || judgePhase(facts(), now()).phase === 'providing') providingTicks += 1;
    if (isDue || (providingTicks === firstTick && facts().serviceFigures === undefined))
      await report(signal);
    isFirst = false;
    lastFiredMs = firedMs;
    return minuteMs - (now().getTime() % minuteMs);
  };
  return { name: 'report', isOptional: true, tick, firstAfterMs };
}

async function readServiceFigures(parts: ReportParts, signal: AbortSignal): Promise<void> {
  const { state, figures, client, profile, log } = parts;
  const { token, registration } = state.service;
  if (token === undefined || registration === undefined) return;
  try {
    const keep = ({ clientId }: { readonly clientId?: string | undefined }) =>
      clientId === registration.clientId;
    const answer = await client.call('providers', undefined, { token, signal, keep });
    const picked = pickServiceFigures(answer, registration.clientId, profile);
    const at = new Date(findMoment(answer.createdTime, parts.now().getTime()));
    figures.service = picked && {
      ...picked,
      at,
      hereBytes: await countDayBytes(parts, at.getTime()),
    };
    await noteReadBack(parts);
  } catch (error) {
    if (isAbort(error) && signal.aborted) return;
    log.debug({ reason: messageOf(error) }, 'the service gave no statistics');
  }
}

/**
 * What the service pays out for. The statistics of providers leave out what consumers download by
 * the network's own protocol, so only this can be compared with what such a source counted.
 */
async function readProvided(parts: ReportParts, signal: AbortSignal): Promise<void> {
  const { token } = parts.state.service;
  const isCounted = parts.facts().sources.some(({ consumers }) => consumers !== undefined);
  if (token === undefined || !isCounted) return;
  try {
    const answer = await parts.client.call('transferStats', undefined, {
      token,
      signal,
    });
    const { paidBytesProvided: paidBytes, unpaidBytesProvided: unpaidBytes } = answer;
    parts.figures.provided = { paidBytes, unpaidBytes, at: parts.now() };
  } catch (error) {
    if (isAbort(error) && signal.aborted) return;
    parts.log.debug({ reason: messageOf(error) }, 'the service does not say what it pays for');
  }
}

/**
 * What this device forwarded in the 24 hours that the service counted; undefined without a ledger,
 * or with one that cannot be read, which its loop reports.
 */
async function countDayBytes(
  { history, now }: ReportParts,
  atMs: number,
): Promise<number | undefined> {
  const sinceMs = atMs - dayMs;
  const hours = await history?.({ unit: 'hour', sinceMs: sinceMs - hourMs }).catch(() => undefined);
  const inside = hours && clipHours(hours, { sinceMs, untilMs: atMs, nowMs: now().getTime() });
  return inside?.reduce((sum, { upBytes, downBytes }) => sum + upBytes + downBytes, 0);
}

/** If the mode was changed at the service, ours is no longer confirmed and is sent again. */
async function noteReadBack({ figures, confirmedMode, wakeups }: ReportParts): Promise<void> {
  const readBack = figures.service?.provideMode;
  if (readBack === undefined || readBack === confirmedMode.current()) return;
  await confirmedMode.note(readBack);
  wakeups.announce.notify();
}
