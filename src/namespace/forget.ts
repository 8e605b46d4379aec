import { unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import { toUndefined } from '../errors/codes.ts';
import { consumerMark } from '../gateway/ceilings.ts';
import type { Exec } from '../system/exec.ts';
import { requestName } from '../system/host-request.ts';

/**
 * Consumers' connections in the host's table, by their mark and the range in which every link to a
 * namespace lies. The unit that does this for the package says so too.
 */
export const forgetArguments = [
  ...['-D', '-f', 'ipv4', '-s', '198.18.0.0/15'],
  ...['-m', `${consumerMark}/${consumerMark}`],
] as const;

/**
 * Makes the host forget consumers' connections, and no other program's. Without `conntrack` they
 * time out instead.
 */
export async function forgetOnHost(exec: Exec): Promise<void> {
  // `conntrack` lists everything that it deletes, and fails if that is nothing.
  await exec({
    program: 'conntrack',
    args: forgetArguments,
    doing: "forgetting consumers' connections",
    isSilent: true,
  }).catch(toUndefined());
}

const lookEachMs = 1000;

/** Forgets whenever the agent asks for it in the folder, until it is disposed of. */
export function forgetOnRequest(exec: Exec, folder: string): Disposable {
  const path = join(folder, requestName);
  const look = ({ mtimeMs }: { readonly mtimeMs: number }) => {
    // A file that is removed asks for nothing.
    if (mtimeMs > 0) forgetOnHost(exec).catch(() => undefined);
  };
  watchFile(path, { interval: lookEachMs, persistent: false }, look);
  return { [Symbol.dispose]: () => unwatchFile(path, look) };
}
