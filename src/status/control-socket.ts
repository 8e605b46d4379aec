import { once } from 'node:events';
import { lstatSync } from 'node:fs';
import type { Server } from 'node:http';
import { basename, dirname } from 'node:path';
import { rethrow } from '../errors/codes.ts';
import { ensureDirectory } from '../system/files.ts';
import { openFolder } from '../system/folder.ts';
import { closeServer } from './close-server.ts';
import { clearStaleSocket } from './stale-socket.ts';

/** The Unix socket by which commands reach the agent. */
export interface ControlSocket {
  /**
   * Listens on the socket, and again where its file is gone: a cleaner of the folder leaves a
   * listener that no command finds. True where it was opened.
   * @throws already-running, state-unwritable
   */
  keepOpen(): Promise<boolean>;
  /** Ends every connection, also the ones that wait for an answer. */
  close(): Promise<void>;
}

/** Who may connect: the agent's own user, and root; or the group of the socket's folder as well. */
type Callers = 'owner' | 'group';

export function createControlSocket(
  path: string,
  callers: Callers,
  createServer: () => Server,
): ControlSocket {
  const servers: Server[] = [];
  let made: Identity | undefined;
  return {
    async keepOpen() {
      if (made !== undefined && isSame(made, lookNow(path))) return false;
      await ensureDirectory(dirname(path));
      await clearStaleSocket(path);
      // It goes on with the commands that it has. Closing removes the file at the path, so it comes
      // before the next one listens there.
      servers.at(-1)?.close();
      const server = createServer();
      servers.push(server);
      await listenPrivately(server, path, callers).catch(
        rethrow('state-unwritable', `opening the socket ${path}`),
      );
      made = await identify(path);
      return true;
    },
    async close() {
      await Promise.all(servers.map(closeServer));
    },
  };
}

/** What tells a file from another one that has its name later. */
interface Identity {
  readonly dev: number;
  readonly ino: number;
}

const isSame = (one: Identity, other: Identity | undefined) =>
  one.dev === other?.dev && one.ino === other.ino;

/**
 * As `identify`, at once: this is asked every few seconds, and each step by another thread wakes
 * the process once more. The kernel has it in memory.
 */
function lookNow(path: string): Identity | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** undefined where there is nothing, or nothing that can be looked at. */
async function identify(path: string): Promise<Identity | undefined> {
  try {
    await using folder = await openFolder(dirname(path));
    return await folder.look(basename(path));
  } catch {
    return undefined;
  }
}

/** What is taken off mode 0777 of the socket. */
const masks = { owner: 0o177, group: 0o117 } as const;

/**
 * Listens on a socket that has its mode from its first moment. Changing the mode later would not be
 * safe, because a name in another user's folder may be a link a moment later.
 */
async function listenPrivately(server: Server, path: string, callers: Callers): Promise<void> {
  const before = process.umask(masks[callers]);
  try {
    server.listen({ path });
  } finally {
    process.umask(before);
  }
  await once(server, 'listening');
}
