import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { hourMs } from '../lib/units.ts';
import { SystemError, toFailure } from './errors.ts';
import type { StateFile } from './state-file.ts';

/**
 * Writes a count that grows all the time, seldom: writing wears out a card. Only one process may
 * use it for a file.
 */
export interface SeldomWriter<T> {
  /**
   * Writes the count where it is time for it. A trifle, which a power cut may take, waits for
   * longer; what is due is written at once. Resolves after a second at the latest, also where the
   * disk takes longer; the next call then says so.
   * @throws state-unwritable, until a write succeeds again, and while the disk is read-only
   */
  keep(value: T, how: Urgency): Promise<void>;
  /**
   * Writes the count now, unless it is the one that was written last, and after a write that is
   * under way. @throws state-unwritable, also where the disk takes longer than the end may
   */
  write(value: T): Promise<void>;
  /** undefined before the first write, which shows whether the disk can be written. */
  written(): T | undefined;
}

interface Urgency {
  readonly isTrifle: boolean;
  readonly isDue?: boolean;
}

/** What counts is written at most this often (ms). */
const writeEveryMs = 60_000;
const writeTrifleEveryMs = 3 * hourMs;
/** A failed write wears nothing out, so it is repeated after this time (ms). */
const writeAgainMs = 5_000;
/** A dying card may take minutes for a write, and the permit has to be renewed meanwhile. */
const patience = () => sleep(1_000, undefined, { ref: false });
/** The last write of a process has this time (ms): its end may not hang on a disk. */
const lastWriteMs = 6_000;

export function createSeldomWriter<T>(file: Pick<StateFile<T>, 'path' | 'write'>): SeldomWriter<T> {
  let written: T | undefined;
  let writing: Promise<void> | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  let failure: SystemError | undefined;
  let isLooking = false;
  const takesLong = () =>
    new SystemError('state-unwritable', `writing ${file.path} takes very long`);
  const write = async (value: T) => {
    if (value === written) return;
    if (writing !== undefined) throw takesLong();
    writtenAtMs = performance.now();
    writing = (async () => {
      failure = await file.write(value).then(() => undefined, toFailure());
      if (failure === undefined) written = value;
      writing = undefined;
    })();
    await writing;
    if (failure !== undefined) throw failure;
  };
  /** One look at a time, and one that takes minutes is waited for once. */
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const looking = findReadOnly(file.path).finally(() => {
      isLooking = false;
    });
    const found = await Promise.race([looking, patience()]);
    if (found !== undefined) throw found;
  };
  /** After the write that is under way, whatever becomes of it. */
  const writeLast = async (value: T) => {
    await writing;
    await write(value);
  };
  return {
    async keep(value, { isTrifle, isDue = false }) {
      const everyMs = isDue ? 0 : isTrifle ? writeTrifleEveryMs : writeEveryMs;
      const waitMs = failure === undefined ? everyMs : writeAgainMs;
      if (writing !== undefined || performance.now() - writtenAtMs >= waitMs)
        await Promise.race([write(value), patience()]);
      else if (failure !== undefined) throw failure;
      else await look();
    },
    async write(value) {
      const late = sleep(lastWriteMs, undefined, { ref: false }).then(() => {
        throw takesLong();
      });
      await Promise.race([writeLast(value), late]);
    },
    written: () => written,
  };
}

/**
 * A card that dies turns read-only, and the next write may be hours away: to ask the kernel for the
 * right to write wears nothing out.
 */
async function findReadOnly(path: string): Promise<SystemError | undefined> {
  try {
    await access(dirname(path), constants.W_OK);
  } catch (cause) {
    if (systemCodeOf(cause) !== 'EROFS') return undefined;
    return new SystemError('state-unwritable', `writing ${path}: ${messageOf(cause)}`, { cause });
  }
  return undefined;
}
