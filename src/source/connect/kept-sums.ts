import * as z from 'zod';
import { isClockSet } from '../../lib/clock.ts';
import { createSeldomWriter } from '../../system/seldom-writer.ts';
import { createStateFile, type StateFileOptions } from '../../system/state-file.ts';
import type { ConsumerFigures, ConsumerSums } from '../source-report.ts';
import { addSums, mergeSums, noSums } from './consumer-figures.ts';

/**
 * What was carried for consumers, and what became of it, over all runs of the agent and all
 * engines: in total and by month of UTC, never by consumer. It is in `connect-sums.json` in the
 * state directory.
 *
 * Order: `take` may come at any time; `load` until it succeeds; `keep` now and then, and `close`
 * once, last.
 */
export interface KeptSums {
  /**
   * Reads what earlier runs counted; what was taken before is added to it. Once it has succeeded it
   * does nothing. A broken file is set aside, and counting begins again.
   * @throws state-unreadable, state-unwritable
   */
  load(): Promise<void>;
  /**
   * Takes what all engines of this run counted: what came to it since the last call is added to the
   * total and to the present month. While the clock was never set, it goes to the newest month.
   */
  take(counted: ConsumerSums): void;
  /** The total, and what of it belongs to the present month; undefined before `load`. */
  read(): (ConsumerSums & Pick<ConsumerFigures, 'countedSince' | 'month'>) | undefined;
  /**
   * Writes what is unwritten, but only now and then, since that wears out a card. A crash loses
   * less than a minute, or of fewer than 64 MiB three hours.
   * @throws state-unwritable, until a write succeeds again
   */
  keep(): Promise<void>;
  /** Writes what is unwritten. @throws state-unwritable, state-unreadable */
  close(): Promise<void>;
}

export interface KeptSumsOptions
  extends Pick<StateFileOptions<KeptDocument>, 'directory' | 'onSetAside'> {
  readonly now: () => Date;
}

const count = z.int().min(0);
/** A sum that an earlier version did not count is 0. */
const sums = z
  .record(z.string(), count)
  .transform((read) => addSums(noSums, { ...noSums, ...read }));
const keptSchema = z.object({
  /** ISO 8601; absent where the clock was never set while something was counted. */
  countedSince: z.iso.datetime().optional(),
  total: sums,
  /** By month: `2026-05`. */
  months: z.record(z.string().regex(/^\d{4}-\d{2}$/), sums),
});
type KeptDocument = z.output<typeof keptSchema>;
const named = { name: 'connect-sums', schema: keptSchema };

/** As many months as the ledger keeps by the hour. */
const mostMonths = 15;
const worthWritingBytes = 64 * 1024 ** 2;

export function openKeptSums({ now, ...of }: KeptSumsOptions): KeptSums {
  const file = createStateFile({ ...of, ...named });
  const writer = createSeldomWriter(file);
  let kept: KeptDocument = { total: noSums, months: {} };
  /** What the file held; undefined before it was read. */
  let loaded: KeptDocument | undefined;
  /** The highest value of each sum that an engine named: an engine may name a lower one later. */
  let reached = noSums;
  /** Counted in the total, and in no month yet. */
  let unfiled = noSums;

  const load = async () => {
    if (loaded !== undefined) return;
    loaded = (await file.readOrSetAside()) ?? { total: noSums, months: {} };
    kept = isEmpty(kept.total) ? loaded : addDocuments(loaded, kept);
  };
  const take = (counted: ConsumerSums) => {
    const grown = mergeSums(reached, counted, (before, named) => Math.max(0, named - before));
    if (isEmpty(grown)) return;
    reached = mergeSums(reached, counted, Math.max);
    unfiled = addSums(unfiled, grown);
    const instant = now();
    const month = chooseMonth(instant, kept);
    const countedSince =
      kept.countedSince ?? (isClockSet(instant.getTime()) ? instant.toISOString() : undefined);
    kept = {
      ...(countedSince !== undefined && { countedSince }),
      total: addSums(kept.total, grown),
      months:
        month === undefined ? kept.months : addToMonth(kept.months, { month, grown: unfiled }),
    };
    if (month !== undefined) unfiled = noSums;
  };
  const hasNews = () => loaded !== undefined && kept !== loaded;
  return {
    load,
    take,
    read() {
      return loaded === undefined ? undefined : toRead(kept, now());
    },
    async keep() {
      if (!hasNews()) return;
      const written = (writer.written() ?? loaded)?.total ?? noSums;
      const unwritten = sumCarried(kept.total) - sumCarried(written);
      await writer.keep(kept, { isTrifle: unwritten < worthWritingBytes });
    },
    async close() {
      await load();
      if (hasNews()) await writer.write(kept);
    },
  };
}

/**
 * What the file holds, for a reader beside the agent, which may not have written all yet; undefined
 * without one. Changes nothing.
 * @throws state-unreadable
 */
export async function peekKeptSums(
  of: Pick<KeptSumsOptions, 'directory' | 'now'>,
): Promise<ReturnType<KeptSums['read']>> {
  const { directory, now } = of;
  const file = createStateFile({ directory, ...named, onSetAside: () => undefined });
  const kept = await file.peek();
  return kept && toRead(kept, now());
}

function toRead(kept: KeptDocument, now: Date): NonNullable<ReturnType<KeptSums['read']>> {
  const { total, months, countedSince } = kept;
  const month = chooseMonth(now, kept);
  return {
    ...total,
    countedSince: countedSince === undefined ? undefined : new Date(countedSince),
    month: (month !== undefined && months[month]) || noSums,
  };
}

function isEmpty(of: ConsumerSums): boolean {
  return Object.values(of).every((value) => value === 0);
}

function sumCarried({ upBytes, downBytes }: ConsumerSums): number {
  return upBytes + downBytes;
}

/** A clock that was never set names no month. */
function chooseMonth(now: Date, { months }: Pick<KeptDocument, 'months'>): string | undefined {
  if (isClockSet(now.getTime())) return now.toISOString().slice(0, 7);
  return Object.keys(months).toSorted().at(-1);
}

/** The months that a clock which ran ahead left behind are dropped first, then the oldest. */
function addToMonth(
  months: KeptDocument['months'],
  { month, grown }: { readonly month: string; readonly grown: ConsumerSums },
): KeptDocument['months'] {
  const all = { ...months, [month]: addSums(months[month] ?? noSums, grown) };
  const names = Object.keys(all).toSorted();
  const inOrder = [
    ...names.filter((name) => name <= month).toReversed(),
    ...names.filter((name) => name > month),
  ];
  return Object.fromEntries(
    inOrder.slice(0, mostMonths).map((name) => [name, all[name] ?? noSums]),
  );
}

/** What a run counted before it could read the file, added to what the file held. */
function addDocuments(file: KeptDocument, run: KeptDocument): KeptDocument {
  const months = Object.entries(run.months).reduce(
    (before, [month, grown]) => addToMonth(before, { month, grown }),
    file.months,
  );
  const countedSince = file.countedSince ?? run.countedSince;
  return {
    ...(countedSince !== undefined && { countedSince }),
    total: addSums(file.total, run.total),
    months,
  };
}
