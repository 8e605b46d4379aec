import { chmod, lstat, rm } from 'node:fs/promises';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { type AdminCommands, runAdminCommand } from './admin-commands.ts';
import { findControlPath } from './data-directory.ts';
import { listenOnPath, readJson } from './listener.ts';
import { refuse } from './refusal.ts';

type Warn = (message: string) => void;
const bodyLimitBytes = 64 * 1024;

/**
 * Takes the administrator's commands on the data directory's socket, from its owner alone. The caller holds the
 * directory's database, so a socket that is there was left by a dead process. A directory whose path is too long gets
 * none, and a warning says so. @throws state-unwritable
 */
export async function openControlSocket(directory: string, commands: AdminCommands, warn: Warn) {
  const path = findControlPath(directory);
  if (path === undefined) {
    warn(`the path of ${directory} is too long for a socket in it: sandbox commands work only while this does not run`);
    return { close: async () => {} };
  }
  try {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSocket()) await rm(path);
    const server = await listenOnPath((request) => answerCommand(commands, warn, request), path);
    await chmod(path, 0o600);
    return server;
  } catch (error) {
    throw new TributaryError('state-unwritable', `opening the socket ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** `POST /admin/NAME` with the request as JSON; an `error` with code and message for what cannot be done. */
async function answerCommand(commands: AdminCommands, warn: Warn, request: Request): Promise<Response> {
  try {
    const name = /^\/admin\/(\w+)$/.exec(new URL(request.url).pathname)?.[1] ?? '';
    if (request.method !== 'POST') throw refuse('A command is a POST.');
    const body = await readJson(request, bodyLimitBytes);
    if ('message' in body) throw refuse(body.message);
    return Response.json(await runAdminCommand(commands, name, body.value));
  } catch (error) {
    if (error instanceof TributaryError) return respondWithError(400, error);
    warn(`running a command: ${messageOf(error)}`);
    return respondWithError(500, new TributaryError('command-failed', 'the service could not do it; it says why'));
  }
}

function respondWithError(status: number, { code, message }: TributaryError): Response {
  return Response.json({ error: { code, message } }, { status });
}
