import { isAbort, isOfMissingPart, messageOf, toFailure } from '../../errors/codes.ts';
import { judgePhase } from '../../health/phase.ts';
import { dayMs, hourMs } from '../../lib/units.ts';
import type { HistoryQuestion, HistoryRow } from '../../report/history.ts';
import type { Ledger } from '../../report/ledger.ts';
import { startAt } from '../../report/ledger-line.ts';
import { findMoment } from '../../report/same-moment.ts';
import { createStateLogger } from '../../report/state-logger.ts';
import type { Loop } from '../run-loop.ts';
import type { AgentState, Sections, Shared } from '../state.ts';
import { createEarnedSums } from './earned-sums.ts';

export interface LedgerLoopParts
  extends Omit<Shared, 'state' | 'wakeups' | 'names' | 'onSetAside'>,
    Pick<Sections, 'ledger'> {
  readonly state: Pick<AgentState, 'service'>;
}

const readEveryMs = 15_000;
/** The ledger is loaded when the start is over (ms). */
const afterStartMs = 3_000;
/**
 * The service's hours and days are asked for four times a day, and at another time on each device
 * (ms).
 */
const askEveryMs = 6 * hourMs;
const askAgainMs = hourMs;
export const firstAskMs = 600_000;
/** This long (ms) after the device first provided, the service has counted something. */
export const firstCountedMs = 60_000;
/** The service may be gone for so many days without leaving a gap. */
const askedDays = 7;
/** How often (ms) the time without a forwarded byte is looked up, and how many days back. */
const lookEveryMs = hourMs;
const lookedDays = 62;

/** Keeps the ledger while the agent runs. What fails is said in the log and stops nothing. */
export interface LedgerLoop extends Loop {
  readonly firstAfterMs: number;
  /** What was counted so far, up to the last reading. @throws state-unreadable */
  history(question: HistoryQuestion): Promise<readonly HistoryRow[]>;
  /** Takes a last reading and writes it; called once, after the loop has ended. Never throws. */
  close(): Promise<void>;
}

export function createLedgerLoop(parts: LedgerLoopParts): LedgerLoop {
  const { directory, state, facts, now } = parts;
  const states = createStateLogger(parts.log);
  let ledger: Ledger | undefined;
  let hasProvided = false;
  let summedOn: string | undefined;
  let lookAtMs = performance.now();
  let askAtMs = performance.now() + firstAskMs * (1 + parts.random());
  const history = async (question: HistoryQuestion) => {
    const { readHistory } = await import('../../report/history.ts');
    return readHistory(question, {
      directory,
      nowMs: now().getTime(),
      unwritten: ledger?.unwritten() ?? [],
    });
  };
  const addUpEarned = createEarnedSums(history, askedDays * dayMs);
  /** @param totalBytes the total that the ledger was last told */
  const lookForSilence = async (totalBytes: number) => {
    lookAtMs = performance.now() + lookEveryMs;
    const { measureSilence } = await import('../../report/history.ts');
    const silence = measureSilence(
      await history({ unit: 'hour', sinceMs: now().getTime() - lookedDays * dayMs }),
    );
    parts.ledger.silence = silence && { ...silence, totalBytes };
  };
  const note = async () => {
    const current = facts();
    const { forwardedBytes } = current.gateway;
    // Before the first reading there is nothing to write.
    if (forwardedBytes === undefined) return;
    const at = now();
    const report = judgePhase(current, at);
    const { readFigures } = await import('../../report/ledger-figures.ts');
    ledger ??= await (await import('../../report/ledger.ts')).openLedger({ directory, now });
    const isProviding = report.phase === 'providing';
    if (isProviding && !hasProvided)
      askAtMs = Math.min(askAtMs, performance.now() + firstCountedMs + parts.random() * firstAskMs);
    hasProvided ||= isProviding;
    await ledger.note({ ...readFigures({ facts: current, report, now: at }), isProviding });
    if (performance.now() >= lookAtMs)
      await lookForSilence(forwardedBytes.up + forwardedBytes.down);
  };
  const ask = async (signal: AbortSignal) => {
    const clientId = state.service.registration?.clientId;
    if (ledger === undefined || clientId === undefined || performance.now() < askAtMs) return;
    askAtMs = performance.now() + askAgainMs * (0.75 + parts.random() / 2);
    const rows = await askService(parts, clientId, signal);
    if (rows === undefined) return;
    await ledger.noteService(rows);
    summedOn = undefined;
    askAtMs = performance.now() + askEveryMs * (0.75 + parts.random() / 2);
  };
  const sumEarned = async () => {
    const today = startAt('day', now().getTime());
    if (summedOn === today) return;
    const sums = await addUpEarned(now().getTime());
    if (sums === undefined) return;
    parts.ledger.monthUsdc = sums.monthUsdc;
    parts.ledger.total = sums.total;
    summedOn = today;
  };
  const attempt = async (
    work: () => Promise<void>,
    toKnown: (error: unknown) => { readonly code: string; readonly message: string } = toFailure(),
  ) => {
    const failure = await work().catch(toKnown);
    if (failure) {
      const { code: state, message: reason } = failure;
      states.note({
        topic: 'ledger',
        state,
        level: 'error',
        message: 'the ledger is not kept',
        fields: { reason },
      });
    } else
      states.note({
        topic: 'ledger',
        state: 'kept',
        level: 'debug',
        message: 'the ledger is kept',
      });
  };
  return {
    name: 'ledger',
    isOptional: true,
    isOnBeat: true,
    firstAfterMs: afterStartMs + parts.random() * readEveryMs,
    /**
     * Takes a reading. Resolves with the ms until the next. A part of the program that is gone is
     * thrown: the agent shares on without the ledger, or is started again.
     */
    async tick(signal: AbortSignal) {
      await attempt(async () => {
        await note();
        await ask(signal);
        await sumEarned();
      });
      return readEveryMs;
    },
    /** Everything that was counted until the last reading. @throws state-unreadable */
    history,
    close: () =>
      attempt(async () => {
        await note();
        await ledger?.close();
      }, toLedgerFailure),
  };
}

/** A part that an upgrade took away before it was loaded is no reason not to end. */
function toLedgerFailure(error: unknown) {
  if (isOfMissingPart(error)) return { code: 'part-missing', message: messageOf(error) };
  return toFailure()(error);
}

/** undefined where the service cannot be asked, or does not answer. */
async function askService(
  { state, client, log, now }: LedgerLoopParts,
  clientId: string,
  signal: AbortSignal,
) {
  const { token } = state.service;
  if (token === undefined) return undefined;
  try {
    const request = { clientId, lastN: askedDays * 24 };
    const answer = await client.call('providerLastN', request, { token, signal });
    const { readServiceLines } = await import('../../report/service-lines.ts');
    const nowMs = now().getTime();
    return readServiceLines(answer, {
      sinceMs: nowMs - askedDays * dayMs,
      atMs: findMoment(answer.createdTime, nowMs),
    });
  } catch (error) {
    if (isAbort(error) && signal.aborted) throw error;
    log.debug({ reason: messageOf(error) }, 'the service gave no hours and days');
    return undefined;
  }
}
