import * as z from 'zod';
import type { Names } from '../lib/connect-in-turn.ts';
import { createKeptNames } from '../lib/kept-names.ts';
import { createPatientWriter } from './patient-writer.ts';
import { createStateFile, type OnSetAside } from './state-file.ts';

const addressesSchema = z.record(z.string(), z.array(z.union([z.ipv4(), z.ipv6()])).readonly());

export interface KeptNames extends Required<Names> {
  /** Resolves when the disk has what was kept last, and after a second at the latest. */
  close(): Promise<void>;
}

/**
 * Names whose last good addresses outlive a restart, in the state directory. A file that cannot be
 * read or written costs only that.
 */
export async function openKeptNames(kept: {
  readonly directory: string;
  readonly onSetAside: OnSetAside;
}): Promise<KeptNames> {
  const file = createStateFile({ ...kept, name: 'addresses', schema: addressesSchema });
  const writer = createPatientWriter(file);
  let writing = Promise.resolve();
  const names = createKeptNames({
    before: (await file.readOrSetAside().catch(() => undefined)) ?? {},
    keep(known) {
      writing = writer.put(known);
    },
  });
  return { ...names, close: () => writing };
}
