import * as z from 'zod';
import { toFailure } from '../lib/errors.ts';
import { ensureDirectory } from './files.ts';
import { createStateFile, type OnSetAside } from './state-file.ts';
import { readSysctl, writeSysctl } from './sysctl.ts';

/**
 * Kernel settings as they were before the agent changed them: the one thing that cannot be observed
 * afterwards.
 */
export type RestoreFile = ReturnType<typeof createRestoreFile>;

/** As the kernel names interfaces; `.` and `..` would lead to other settings. */
const name = String.raw`(?!\.{1,2}\/)[^\s/:\u0000-\u001f]{1,15}`;
/** The settings that are ever remembered, which no document can add to. */
const isRemembered = new RegExp(
  `^net/(ipv4/conf/${name}/forwarding|ipv6/conf/(all/forwarding|${name}/accept_ra)|netfilter/nf_conntrack_(udp_timeout(_stream)?|tcp_timeout_(syn_sent|syn_recv|established)))$`,
);

const schema = z.record(z.string().regex(isRemembered), z.string().regex(/^-?\d{1,10}$/));

export function createRestoreFile(directory: string, name: string, onSetAside: OnSetAside) {
  const file = createStateFile({ directory, name, schema, onSetAside });
  /** What a disk that is full or read-only did not take: a device that reboots on one goes on. */
  let held: Readonly<Record<string, string>> = {};
  const read = async (): Promise<Readonly<Record<string, string>>> => ({
    ...(await file.readOrSetAside()),
    ...held,
  });
  return {
    /**
     * Keeps the first value seen; written before the setting is changed; a setting that may not be
     * put back is a bug. Makes the directory.
     * @throws state-unwritable
     */
    async remember(path: string, before: string) {
      if (!isRemembered.test(path)) throw new Error(`${path} is no setting that would be put back`);
      const kept = await read();
      if (path in kept) return;
      const next = { ...kept, [path]: before };
      await ensureDirectory(directory);
      if ((await file.write(next).catch(toFailure('state-unwritable'))) !== undefined) held = next;
    },
    /** Values before any change, by path. */
    read,
    /**
     * Sets back what is still ours, and forgets everything. Settings that are gone are passed over.
     */
    async putBack(isStillOurs: (path: string) => boolean = () => true) {
      const kept = await read();
      for (const [path, before] of Object.entries(kept).reverse()) {
        if (!isStillOurs(path)) continue;
        const now = await readSysctl(path);
        if (now !== undefined && now !== before) await writeSysctl(path, before);
      }
      held = {};
      if (Object.keys(await read()).length > 0) await file.write({});
    },
  };
}
