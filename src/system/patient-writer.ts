import { setTimeout as sleep } from 'node:timers/promises';
import type { StateFile } from './state-file.ts';

/**
 * Writes a document beside what goes on, so that nothing that is in use waits for a slow disk. Only
 * one process may use it for a file.
 */
export interface PatientWriter<T> {
  /**
   * Writes the document. Resolves when the disk has it or has refused it, and after a second at the
   * latest; the write goes on then. Of those that wait for the disk only the last is written.
   */
  put(value: T): Promise<void>;
  /** True while the disk does not have what was put last: it is slow, or has refused it. */
  isBehind(): boolean;
}

const patience = () => sleep(1_000, undefined, { ref: false });

export function createPatientWriter<T>(file: Pick<StateFile<T>, 'write'>): PatientWriter<T> {
  let next: { readonly value: T } | undefined;
  let hasFailed = false;
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    while (next !== undefined) {
      const { value } = next;
      next = undefined;
      hasFailed = await file.write(value).then(
        () => false,
        () => true,
      );
    }
    writing = undefined;
  };
  return {
    async put(value) {
      next = { value };
      writing ??= writeAll();
      await Promise.race([writing, patience()]);
    },
    isBehind: () => hasFailed || writing !== undefined,
  };
}
