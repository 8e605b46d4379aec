import { type Report, type ReportData, saveReport } from '../contract/account.ts';
import type { ControlFailure, Done } from './control-client.ts';

/**
 * Reports on their way to the service. A batch is taken, sent and answered before the next is
 * taken. What was certainly not sent is sent again. Where nobody knows, a close is sent again, for
 * the service ignores a second one; a checkpoint is not, for it would be added a second time.
 *
 * A batch that is refused is halved, until the report that is the cause is alone. It goes to the
 * end of the queue, and the others go on. Where one of them was taken, and it is refused alone
 * again, it is given up. As long as none is taken, the service refuses everybody, and none is given
 * up.
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
  /** Reports that were given up, and their bytes, without those that are unpaid as it is. */
  givenUp(): { readonly reports: number; readonly bytes: number };
}

const mostInBatch = 100;
/** The oldest are of no use any more: the service settles a contract within ten minutes. */
const mostWaiting = 16_384;
const firstWait = 1000;
const longestWait = 30_000;

export function createReportQueue(): ReportQueue {
  let waiting: Report[] = [];
  let sent: readonly Report[] = [];
  /** Of those that were refused alone: how many batches had been taken by then. */
  const takenBefore = new WeakMap<Report, number>();
  let most = mostInBatch;
  let taken = 0;
  let failures = 0;
  let waitUntil = Number.NEGATIVE_INFINITY;
  let doubtful = 0;
  const lost = { reports: 0, bytes: 0 };

  const judge = (report: Report): void => {
    if ((takenBefore.get(report) ?? taken) < taken) {
      lost.reports++;
      lost.bytes += countPaidBytes(report);
      return;
    }
    takenBefore.set(report, taken);
    waiting.push(report);
  };
  const refuse = (batch: readonly Report[]): void => {
    most = Math.ceil(batch.length / 2);
    const [first] = batch;
    if (batch.length === 1 && first !== undefined) judge(first);
    else waiting.unshift(...batch);
  };
  const sendAgain = (batch: readonly Report[], { reason }: ControlFailure): void => {
    const isUnknown = reason === 'unknown';
    const again = batch.filter(({ isCheckpoint }) => !(isUnknown && isCheckpoint));
    for (const one of batch) if (!again.includes(one)) doubtful += countPaidBytes(one);
    waiting.unshift(...again);
  };

  return {
    add(reports) {
      waiting.push(...reports);
      const tooMany = waiting.length - mostWaiting;
      if (tooMany > 0) waiting.splice(0, tooMany);
    },
    take(now) {
      if (sent.length > 0 || now < waitUntil) return [];
      sent = waiting.slice(0, most);
      waiting = waiting.slice(most);
      return sent;
    },
    answered(outcome, now) {
      const batch = sent;
      sent = [];
      if (outcome.kind === 'done') {
        failures = 0;
        taken++;
        most = Math.min(mostInBatch, 2 * most);
        return;
      }
      const isRefused = outcome.reason === 'refused';
      // A smaller batch may be taken at once, and the others wait for it.
      const doublings = isRefused && batch.length > 1 ? 0 : failures++;
      waitUntil = now + Math.min(longestWait, firstWait * 2 ** doublings);
      if (isRefused) refuse(batch);
      else sendAgain(batch, outcome);
    },
    waiting: () => waiting.length + sent.length,
    save: () => [...sent.filter(({ isCheckpoint }) => !isCheckpoint), ...waiting].map(saveReport),
    doubtfulBytes: () => doubtful,
    givenUp: () => ({ ...lost }),
  };
}

function countPaidBytes({ ackedByteCount, bridgedByteCount = 0 }: Report): number {
  return ackedByteCount - bridgedByteCount;
}
