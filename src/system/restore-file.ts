import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { toFailure } from './errors.ts';
import { ensureDirectory } from './files.ts';
import { createStateFile, type OnSetAside } from './state-file.ts';
import { readSysctl, writeSysctl } from './sysctl.ts';

/**
 * Kernel settings from before the agent changed them: the one thing that cannot be observed
 * afterwards. Settings are named by their paths below /proc/sys.
 */
export interface RestoreFile {
  /**
   * Keeps the first value of a setting. Call it before the setting is changed; it makes the
   * directory. A setting that may not be put back is a bug.
   * @throws state-unwritable
   */
  remember(path: string, before: string): Promise<void>;
  /**
   * The values from before any change, by path.
   * @throws state-unreadable, state-unwritable
   */
  read(): Promise<Readonly<Record<string, string>>>;
  /**
   * Restores the settings that are still ours, the last one first, and forgets all. Settings that
   * no longer exist are skipped. Without a function all of them are ours. A slow disk is waited for
   * a second; restoring the same values again would do no harm.
   * @throws not-allowed, state-unreadable, state-unwritable
   */
  putBack(isStillOurs?: (path: string) => boolean): Promise<void>;
}

/**
 * The kernel's names of interfaces; `.` and `..` are excluded, because they would lead to other
 * settings.
 */
const name = String.raw`(?!\.{1,2}\/)[^\s/:\u0000-\u001f]{1,15}`;
/** The settings that may be remembered. A document cannot name any other. */
const isRemembered = new RegExp(
  `^net/(ipv4/conf/${name}/forwarding|ipv6/conf/(all/forwarding|${name}/accept_ra)|netfilter/nf_conntrack_(udp_timeout(_stream)?|tcp_timeout_(syn_sent|syn_recv|established)))$`,
);

const schema = z.record(z.string().regex(isRemembered), z.string().regex(/^-?\d{1,10}$/));

const patience = () => sleep(1_000, undefined, { ref: false });

export function createRestoreFile(
  directory: string,
  name: string,
  onSetAside: OnSetAside,
): RestoreFile {
  const file = createStateFile({ directory, name, schema, onSetAside });
  /**
   * Values that a full or read-only disk did not take: a device that boots on such a disk still
   * goes on.
   */
  let held: Readonly<Record<string, string>> = {};
  const read = async (): Promise<Readonly<Record<string, string>>> => ({
    ...(await file.readOrSetAside()),
    ...held,
  });
  return {
    async remember(path, before) {
      if (!isRemembered.test(path)) throw new Error(`${path} is no setting that would be put back`);
      const kept = await read();
      if (path in kept) return;
      const next = { ...kept, [path]: before };
      await ensureDirectory(directory);
      if ((await file.write(next).catch(toFailure('state-unwritable'))) !== undefined) held = next;
    },
    read,
    async putBack(isStillOurs = () => true) {
      const kept = await read();
      for (const [path, before] of Object.entries(kept).reverse()) {
        if (!isStillOurs(path)) continue;
        const now = await readSysctl(path);
        if (now !== undefined && now !== before) await writeSysctl(path, before);
      }
      held = {};
      if (Object.keys(await read()).length > 0) await Promise.race([file.write({}), patience()]);
    },
  };
}
