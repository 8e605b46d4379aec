import { join } from 'node:path';
import { openNamespaceHost } from '../namespace/run-inside.ts';
import { takeNamespaceDown } from '../namespace/up.ts';
import type { Exec } from '../system/exec.ts';
import { ensureDirectory } from '../system/files.ts';
import { findHostHardware } from '../system/host-hardware.ts';
import { acquireLock, claimNamespace } from '../system/lock.ts';
import { createRestoreFile } from '../system/restore-file.ts';
import type { OnSetAside } from '../system/state-file.ts';
import { createLineShaper } from './line-shaper.ts';
import type { DataPathHost } from './state.ts';
import { removeDataPath } from './tear-down.ts';
import { openUsageAccounting, type UsageLimits } from './usage-accounting.ts';

export interface CleanUpOptions {
  readonly exec: Exec;
  readonly stateDirectory: string;
  /** What removes the sources' devices. */
  readonly sources: DataPathHost['sources'];
  /** Whose period and time zone the last of the traffic is counted in. */
  readonly limits: UsageLimits;
  /** `gateway.uplink`. */
  readonly uplink?: string | undefined;
  readonly isOwnNamespace: boolean;
  readonly onSetAside: OnSetAside;
}

/**
 * Removes the data path, or a host's whole namespace. Registration and sign-in stay.
 * @throws already-running
 */
export async function cleanUp(options: CleanUpOptions): Promise<void> {
  const { exec, stateDirectory, limits, sources, uplink } = options;
  await ensureDirectory(stateDirectory);
  await using _lock = await acquireLock(join(stateDirectory, 'agent.lock'));
  const isHost = !options.isOwnNamespace && (await findHostHardware(exec)) !== undefined;
  if (isHost) return await takeNamespaceDown(openNamespaceHost());
  await using _namespace = await claimNamespace();
  const kept = { directory: stateDirectory, onSetAside: options.onSetAside };
  const usage = openUsageAccounting({ ...kept, limits: () => limits, now: () => new Date() });
  const restore = createRestoreFile(stateDirectory, 'restore', kept.onSetAside);
  // What passed since the killed agent last wrote counts towards the cap too.
  const line = createLineShaper(exec);
  const host = { exec, stateDirectory, restore, line, sources, configuredUplink: () => uplink };
  await removeDataPath(host, usage.close);
}
