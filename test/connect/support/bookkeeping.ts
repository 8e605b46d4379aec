import type { Books } from '../../../src/connect/contract/account.ts';
import { loadReport } from '../../../src/connect/contract/account.ts';
import { createReportQueue } from '../../../src/connect/control/report-queue.ts';
import { toPast } from '../../../src/connect/engine/past.ts';
import { readFromEngine, writeMessage } from '../../../src/connect/engine/read-messages.ts';
import type { Engine } from '../../../src/connect/provider/engine-contract.ts';
import type { CloseContract } from '../../../src/connect/wire/contract-messages.ts';

/**
 * An engine's books and reports in virtual time, in the order in which the program has them: books
 * are on the disk before the reports are sent, and a batch is answered before the next one.
 */
export interface Bookkeeping {
  add(reports: readonly CloseContract[]): void;
  step(engine: Engine, now: number): void;
  wakeAt(): number;
  /** What is on the disk, as the next engine reads it; undefined before the first time. */
  kept(now: number): Books | undefined;
  /** When something was written down last. */
  keptAt(): number;
  /** Of checkpoints that were sent, or are about to be, and that were not answered. */
  doubtfulBytes(): number;
}

/** What becomes of a request: carried out and answered, carried out alone, or neither. */
export type ControlFate = 'done' | 'unanswered' | 'lost';

export interface BookkeepingOptions {
  /** The service hears of a report. */
  readonly report: (close: CloseContract) => void;
  readonly fate: (now: number) => ControlFate;
  /** Of an earlier life. */
  readonly waiting: Books['waiting'];
}

const diskMs = 10;
const wayMs = 30;
/** As the program keeps them: for what was counted, and for who came. */
const keepEvery = 60_000;
const keepNewcomersEvery = 5000;
/** A request without an answer is given up. */
const longestRequest = 30_000;

type Doing =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'keeping'; readonly at: number; readonly books: Books }
  | { readonly kind: 'sending'; readonly at: number }
  | { readonly kind: 'waiting'; readonly at: number; readonly fate: ControlFate };

export function createBookkeeping(options: BookkeepingOptions): Bookkeeping {
  const queue = createReportQueue();
  queue.add((options.waiting ?? []).map(loadReport));
  let kept: Books | undefined;
  let keptAt = Number.NEGATIVE_INFINITY;
  let doing: Doing = { kind: 'nothing' };
  let batch: readonly CloseContract[] = [];
  let keepAt = Number.NEGATIVE_INFINITY;
  let lookAt = Number.NEGATIVE_INFINITY;
  let changes = 0;

  const keepInTime = (engine: Engine, now: number): void => {
    const hasNewcomers = now >= lookAt && engine.changes() !== changes;
    if (now >= lookAt) lookAt = now + keepNewcomersEvery;
    if (!hasNewcomers && now < keepAt) return;
    keepAt = now + keepEvery;
    changes = engine.changes();
    keptAt = now;
    kept = { ...engine.save(), waiting: queue.save() };
  };
  const begin = (engine: Engine, now: number): Doing => {
    batch = queue.take(now);
    if (batch.length === 0) return { kind: 'nothing' };
    const books = { ...engine.save(), waiting: queue.save() };
    return { kind: 'keeping', at: now + diskMs, books };
  };
  const send = (now: number): Doing => {
    const fate = options.fate(now);
    if (fate !== 'lost') for (const one of batch) options.report(one);
    return { kind: 'waiting', fate, at: now + (fate === 'done' ? wayMs : longestRequest) };
  };
  const finish = (fate: ControlFate, now: number): Doing => {
    const failure = { kind: 'failed', reason: 'unknown', message: 'no answer' } as const;
    queue.answered(fate === 'done' ? { kind: 'done' } : failure, now);
    return { kind: 'nothing' };
  };
  const goOn = (engine: Engine, now: number): Doing => {
    switch (doing.kind) {
      case 'nothing':
        return begin(engine, now);
      case 'keeping':
        kept = doing.books;
        keptAt = now;
        return { kind: 'sending', at: now + wayMs };
      case 'sending':
        return send(now);
      case 'waiting':
        return finish(doing.fate, now);
      default:
        return doing satisfies never;
    }
  };

  const isReporting = (): boolean => doing.kind === 'sending' || doing.kind === 'waiting';

  return {
    add: queue.add,
    step(engine, now) {
      keepInTime(engine, now);
      if (doing.kind === 'nothing' || now >= doing.at) doing = goOn(engine, now);
    },
    wakeAt: () => (doing.kind === 'nothing' ? Number.POSITIVE_INFINITY : doing.at),
    kept(now) {
      if (kept === undefined) return undefined;
      const line = writeMessage({
        type: 'keep',
        number: 1,
        books: kept,
        largestId: null,
        published: null,
      });
      const message = readFromEngine(line.trimEnd());
      if (message.type !== 'keep') throw new Error('not what was kept');
      return { ...toPast(message.books, now), waiting: message.books.waiting };
    },
    keptAt: () => keptAt,
    doubtfulBytes: () => queue.doubtfulBytes() + (isReporting() ? sumCheckpoints(batch) : 0),
  };
}

function sumCheckpoints(batch: readonly CloseContract[]): number {
  return batch
    .filter(({ isCheckpoint }) => isCheckpoint)
    .reduce((sum, { ackedByteCount }) => sum + ackedByteCount, 0);
}
