import { join } from 'node:path';
import { removeDataPath } from './data-path.ts';
import { findHostHardware } from './namespace/detect.ts';
import { openNamespaceDoors } from './namespace/run-inside.ts';
import { takeNamespaceDown } from './namespace/up.ts';
import { createRestoreFile } from './restore.ts';
import { exec } from './system/exec.ts';
import { ensureDirectory } from './system/files.ts';
import { acquireLock } from './system/lock.ts';

export interface CleanUpOptions {
  readonly stateDirectory: string;
  readonly tunnelInterface: string;
  readonly isOwnNamespace: boolean;
}

/**
 * Removes the data path from a namespace of the agent's own, or the whole namespace from a host. The registration and
 * the sign-in stay. @throws already-running
 */
export async function cleanUp(options: CleanUpOptions): Promise<void> {
  await ensureDirectory(options.stateDirectory);
  await using _lock = await acquireLock(join(options.stateDirectory, 'agent.lock'));
  const isHost = !options.isOwnNamespace && (await findHostHardware(exec)) !== undefined;
  if (isHost) {
    await takeNamespaceDown(await openNamespaceDoors(options.stateDirectory));
    return;
  }
  const restore = createRestoreFile(options.stateDirectory, 'restore', () => undefined);
  const doors = { exec, stateDirectory: options.stateDirectory, restore };
  await removeDataPath(doors, options.tunnelInterface);
}
