import { stat } from 'node:fs/promises';
import type { Logger } from '../report/logger.ts';

/** What ends an agent that lacks a part of its program, so that it is started again whole. */
export interface ReplacedProgram {
  /** Rejects with the error once a restart is needed; resolves with the signal. */
  untilNeeded(signal: AbortSignal): Promise<void>;
  /** Takes the error by which a part was found missing; judges by the file that is there now. */
  noteMissing(error: unknown): Promise<void>;
}

/**
 * A part is missing where another build was put into this one's place while it runs: its parts have
 * other names. The same build with a part that cannot be read would lack it after a restart, too,
 * and shares on without it; so does an agent that nobody starts again.
 *
 * @param path the program's first file
 */
export async function watchProgram(
  path: string,
  { isStartedAgain, log }: { readonly isStartedAgain: boolean; readonly log: Pick<Logger, 'warn'> },
): Promise<ReplacedProgram> {
  const before = await readBuild(path);
  const needed = Promise.withResolvers<void>();
  // It is looked at once the loops run.
  needed.promise.catch(() => undefined);
  return {
    untilNeeded(signal) {
      signal.addEventListener('abort', () => needed.resolve(), { once: true });
      return needed.promise;
    },
    async noteMissing(error) {
      const now = await readBuild(path);
      if (!isStartedAgain || now === undefined || now === before) return;
      log.warn('the program was replaced by another one; the agent ends to be started as that');
      needed.reject(error);
    },
  };
}

/** What tells a file from one that was put into its place; undefined where it is gone. */
async function readBuild(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && [found.dev, found.ino, found.size, found.mtimeMs].join();
}
