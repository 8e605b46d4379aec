import { judgePhase } from '../../health/phase.ts';
import { isAbort, messageOf, TributaryError } from '../../lib/errors.ts';
import type { HistoryQuestion } from '../../report/history.ts';
import type { Ledger } from '../../report/ledger.ts';
import { createStateLogger } from '../../report/state-logger.ts';
import type { ReportParts } from './report-loop.ts';

export interface LedgerLoopParts extends Omit<ReportParts, 'figures' | 'confirmedMode' | 'wakeups'> {
  readonly directory: string;
  readonly random: () => number;
}

const readEveryMs = 15_000;
/** The ledger is loaded when the start is over. */
const afterStartMs = 3_000;
/** The service's hours and days are asked for four times a day, and by no two devices at the same time. */
const askEveryMs = 6 * 3_600_000;
const askAgainMs = 3_600_000;
const firstAskMs = 300_000;
/** So long a time without the service leaves no gap. */
const askedDays = 7;
const dayMs = 86_400_000;

/** Keeps the ledger while the agent runs. What fails is said in the log and stops nothing. */
export function createLedgerLoop(parts: LedgerLoopParts) {
  const { directory, state, facts, now } = parts;
  const states = createStateLogger(parts.log);
  let ledger: Ledger | undefined;
  let isStarting = true;
  let askAtMs = performance.now() + addJitter(firstAskMs, parts.random);
  const note = async () => {
    const current = facts();
    // Before the first reading there is nothing to book.
    if (current.gateway.forwardedBytes === undefined) return;
    const report = judgePhase(current, now());
    const { readFigures } = await import('../../report/ledger-figures.ts');
    ledger ??= await (await import('../../report/ledger.ts')).openLedger({ directory, now });
    await ledger.note({ ...readFigures({ facts: current, report }), isProviding: report.phase === 'providing' });
  };
  const ask = async (signal: AbortSignal) => {
    const clientId = state.service.registration?.clientId;
    if (ledger === undefined || clientId === undefined || performance.now() < askAtMs) return;
    askAtMs = performance.now() + addJitter(askAgainMs, parts.random);
    const rows = await askService(parts, clientId, signal);
    if (rows === undefined) return;
    await ledger.noteService(rows);
    askAtMs = performance.now() + addJitter(askEveryMs, parts.random);
  };
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      states.note({ topic: 'ledger', state: 'kept', level: 'debug', message: 'the ledger is kept' });
    } catch (error) {
      if (!(error instanceof TributaryError)) throw error;
      const fields = { reason: messageOf(error) };
      states.note({ topic: 'ledger', state: error.code, level: 'error', message: 'the ledger is not kept', fields });
    }
  };
  return {
    /** Takes a reading; resolves with the time until the next (ms). */
    async tick(signal: AbortSignal) {
      if (isStarting) {
        isStarting = false;
        return afterStartMs;
      }
      await attempt(async () => {
        await note();
        await ask(signal);
      });
      return readEveryMs;
    },
    /** What was counted so far, up to the last reading. @throws state-unreadable */
    async history(question: HistoryQuestion) {
      const { readHistory } = await import('../../report/history.ts');
      return readHistory(question, { directory, nowMs: now().getTime(), unwritten: ledger?.unwritten() ?? [] });
    },
    /** Takes the last reading and writes down what is not yet. */
    close: () =>
      attempt(async () => {
        await note();
        await ledger?.close();
      }),
  };
}

/** undefined where the service cannot be asked, or does not answer. */
async function askService(
  { state, client, profile, log, now }: LedgerLoopParts,
  clientId: string,
  signal: AbortSignal,
) {
  const { networkJwt } = state.service;
  if (networkJwt === undefined) return undefined;
  try {
    const lastN = profile.lookbackUnit === 'day' ? askedDays : askedDays * 24;
    const answer = await client.call('providerLastN', { clientId, lastN }, { token: networkJwt, signal });
    const { readServiceLines } = await import('../../report/service-lines.ts');
    const nowMs = now().getTime();
    return readServiceLines(answer, { sinceMs: nowMs - askedDays * dayMs, untilMs: nowMs + dayMs });
  } catch (error) {
    if (isAbort(error) && signal.aborted) throw error;
    log.debug({ reason: messageOf(error) }, 'the service gave no hours and days');
    return undefined;
  }
}

function addJitter(ms: number, random: () => number): number {
  return ms * (0.75 + random() / 2);
}
