import { type Report, type ReportData, saveReport } from '../contract/account.ts';
import type { ControlFailure, Done } from './control-client.ts';

/**
 * Reports on their way to the service. A batch is taken, sent and answered before the next is
 * taken. What was certainly not sent is sent again. Where nobody knows, a close is sent again, for
 * the service ignores a second one; a checkpoint is not, for it would be added a second time.
 */
export interface ReportQueue {
  add(reports: readonly Report[]): void;
  /** What to send now; empty where there is nothing, or where it is too soon after a failure. */
  take(now: number): readonly Report[];
  answered(outcome: Done | ControlFailure, now: number): void;
  waiting(): number;
  /** What a later life has to send: what waits, and closes that were sent and not answered yet. */
  save(): readonly ReportData[];
  /**
   * Bytes of checkpoints of which nobody knows whether they were counted, without those that are
   * unpaid as it is.
   */
  doubtfulBytes(): number;
}

const mostInBatch = 100;
/** The oldest are of no use any more: the service settles a contract within ten minutes. */
const mostWaiting = 16_384;
const firstWait = 1000;
const longestWait = 30_000;

export function createReportQueue(): ReportQueue {
  let waiting: Report[] = [];
  let sent: readonly Report[] = [];
  let failures = 0;
  let waitUntil = Number.NEGATIVE_INFINITY;
  let doubtful = 0;

  return {
    add(reports) {
      waiting.push(...reports);
      const tooMany = waiting.length - mostWaiting;
      if (tooMany > 0) waiting.splice(0, tooMany);
    },
    take(now) {
      if (sent.length > 0 || now < waitUntil) return [];
      sent = waiting.slice(0, mostInBatch);
      waiting = waiting.slice(mostInBatch);
      return sent;
    },
    answered(outcome, now) {
      const batch = sent;
      sent = [];
      if (outcome.kind === 'done') {
        failures = 0;
        return;
      }
      waitUntil = now + Math.min(longestWait, firstWait * 2 ** failures++);
      const isUnknown = outcome.reason === 'unknown';
      const again = batch.filter(({ isCheckpoint }) => !(isUnknown && isCheckpoint));
      waiting.unshift(...again);
      for (const one of batch)
        if (!again.includes(one)) doubtful += one.ackedByteCount - (one.bridgedByteCount ?? 0);
    },
    waiting: () => waiting.length + sent.length,
    save: () => [...sent.filter(({ isCheckpoint }) => !isCheckpoint), ...waiting].map(saveReport),
    doubtfulBytes: () => doubtful,
  };
}
