import { setTimeout as sleep } from 'node:timers/promises';
import { observeTable } from '../../data-path/observe.ts';
import type { DataPath } from '../../data-path/reconcile.ts';
import { readRefusals, readTotals } from '../../data-path/state.ts';
import type { UsageAccounting } from '../../data-path/usage-accounting.ts';
import { toUndefined } from '../../errors/codes.ts';
import type { Exec } from '../../system/exec.ts';
import type { NftTable } from '../../system/nft.ts';
import type { Sections, Shared } from '../state.ts';

/** Keeps what the kernel counts, in bytes and packets, so that no counter ever runs backwards. */
export interface Meter {
  /**
   * Runs a pass of the data path, with its probes. A sample that overlaps it is read again after
   * it, because it may have met a table that was just being replaced.
   */
  whilePassing<Passed>(pass: () => Promise<Passed>): Promise<Passed>;
  /** Takes what a pass read. Without a table, what was counted before still holds. */
  take(found: Pick<DataPath, 'table' | 'sources'>): void;
  /**
   * Reads the counters again between two passes. Several callers at once share one reading. It
   * resolves within half a second, if need be with the last known counters, and never throws: the
   * next pass has the same problem and reports it.
   */
  sample(): Promise<void>;
}

export interface MeterParts extends Pick<Sections, 'counters'>, Pick<Shared, 'state'> {
  readonly usage: Pick<UsageAccounting, 'take'>;
  readonly exec: Exec;
}

const freshMs = 50;
const patienceMs = 500;

export function createMeter({ state, counters, usage, exec }: MeterParts): Meter {
  let passing: Promise<void> | undefined;
  let sampling: Promise<void> | undefined;
  let sampledAtMs = Number.NEGATIVE_INFINITY;

  /** Without a table, what was counted before still holds. */
  const takeTable = (table: NftTable | undefined) => {
    usage.take(readTotals(table));
    if (table !== undefined) counters.refusedPackets = readRefusals(table);
  };
  const read = async (): Promise<void> => {
    const before = passing;
    await before;
    const [table, ...taking] = await Promise.all([
      observeTable(exec),
      // A source that cannot be read keeps what it counted, and stops no other.
      ...state.sources.all.map((source) => source.sample().catch(toUndefined())),
    ]);
    if (passing !== before) return read();
    takeTable(table);
    for (const take of taking) take?.();
  };
  return {
    whilePassing(pass) {
      const running = pass();
      const end = () => undefined;
      passing = running.then(end, end);
      return running;
    },
    take({ table, sources }) {
      takeTable(table);
      for (const source of state.sources.all) {
        const found = sources.find(({ device }) => device === source.driver.device);
        // A source that could not be looked at keeps what it knew, which grows old.
        if (found?.isSeen !== false) source.take(found?.observed ?? { kind: 'absent' });
      }
    },
    async sample() {
      if (performance.now() - sampledAtMs < freshMs) return;
      sampling ??= read()
        // The next pass has the same problem and reports it.
        .catch(toUndefined())
        .finally(() => {
          sampling = undefined;
          sampledAtMs = performance.now();
        });
      // A caller gets the last known counters if a program hangs.
      await Promise.race([sampling, sleep(patienceMs, undefined, { ref: false })]);
    },
  };
}
