import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { systemCodeOf } from '../lib/errors.ts';
import { readSmallFile } from './small-file.ts';

// The home's router is out of the agent's reach: the host asks it, and tells the agent where root alone can write.
const path = '/run/tributary-outside';

/** What the host learnt of the home's public addresses; undefined: no host made this namespace. */
export async function readOutsideFile(): Promise<readonly string[] | undefined> {
  const text = await readSmallFile(path, 1024).catch((error: unknown) => {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  });
  return text?.split('\n').filter((line) => isIPv4(line));
}

export async function writeOutsideFile(addresses: readonly string[]): Promise<void> {
  await writeFile(`${path}.new`, addresses.map((address) => `${address}\n`).join(''));
  // The agent's user reads it, whatever the umask.
  await chmod(`${path}.new`, 0o644);
  await rename(`${path}.new`, path);
}

export async function removeOutsideFile(): Promise<void> {
  await rm(path, { force: true });
}
