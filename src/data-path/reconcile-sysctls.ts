import { type DesiredSysctl, planSysctls } from '../gateway/sysctls.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import { writeSysctl } from '../system/sysctl.ts';
import { observeSysctls } from './observe.ts';

/**
 * Sets the kernel's settings that are not yet as wanted. What lasts beyond the devices is
 * remembered first, so that it can be given back.
 * @throws command-failed, state-unwritable
 */
export async function reconcileSysctls(
  restore: RestoreFile,
  desired: readonly DesiredSysctl[],
): Promise<void> {
  const observed = await observeSysctls(desired);
  for (const setting of planSysctls(desired, observed)) {
    if (setting.isLasting) await restore.remember(setting.path, observed.get(setting.path) ?? '0');
    try {
      await writeSysctl(setting.path, setting.value);
    } catch (error) {
      if (!setting.isOptional) throw error;
    }
  }
}
