import * as z from 'zod';
import { TributaryError } from '../../errors/codes.ts';
import { dayMs } from '../../lib/units.ts';
import type { HistoryRow } from '../../report/history.ts';
import { createJsonAnswer, type StatusAnswer } from '../answers.ts';
import type { StatusSource } from '../source.ts';

/** How many days back each unit may be asked for. For more there are the ledger's files. */
const daysBack = { hour: { usual: 2, most: 62 }, day: { usual: 31, most: 3660 } } as const;

const question = z.object({ unit: z.enum(['hour', 'day']), since: z.iso.datetime().optional() });

/**
 * `GET /history.json?unit=hour|day&since=ISO8601`: what was shared, row by row, the oldest first,
 * with what the service counted for each row (null while unknown). `kept` is false without a
 * ledger.
 * @throws usage-invalid
 */
export async function answerHistory(
  { history, now }: StatusSource,
  query: URLSearchParams,
): Promise<StatusAnswer> {
  const { unit, sinceMs } = parseQuestion(query, now().getTime());
  const rows = (await history?.({ unit, sinceMs })) ?? [];
  const since = new Date(sinceMs).toISOString();
  return createJsonAnswer(200, {
    version: 1,
    unit,
    since,
    kept: history !== undefined,
    rows: rows.map(toWireRow),
  });
}

function parseQuestion(query: URLSearchParams, nowMs: number) {
  const parsed = question.safeParse({
    unit: query.get('unit') ?? 'hour',
    since: query.get('since') ?? undefined,
  });
  if (!parsed.success) {
    throw new TributaryError(
      'usage-invalid',
      'reading the request: unit is hour or day, since is a time in ISO 8601',
    );
  }
  const { unit, since } = parsed.data;
  const sinceMs = since === undefined ? nowMs - daysBack[unit].usual * dayMs : Date.parse(since);
  if (sinceMs < nowMs - daysBack[unit].most * dayMs) {
    throw new TributaryError(
      'usage-invalid',
      `reading the request: since is at most ${daysBack[unit].most} days ago`,
    );
  }
  return { unit, sinceMs };
}

/** The payout is left out: page and commands have it from the service. */
function toWireRow(row: HistoryRow) {
  const {
    startMs,
    serviceOnlineSeconds,
    serviceBytes,
    servicePayoutUsdc: _,
    serviceUntilMs: __,
    ...figures
  } = row;
  return {
    start: new Date(startMs).toISOString(),
    ...figures,
    serviceOnlineSeconds: serviceOnlineSeconds ?? null,
    serviceBytes: serviceBytes ?? null,
  };
}
