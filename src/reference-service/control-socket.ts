import { chmod, lstat, rm } from 'node:fs/promises';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';
import { type Administration, giveOrder, isOrderName } from './administration.ts';
import { readBody } from './body.ts';
import { toControlPath } from './control-path.ts';
import { refuse } from './error-object.ts';
import { listenOnPath, type OpenServer } from './listener.ts';

interface ControlOptions {
  readonly directory: string;
  readonly administration: Administration;
  /** Told what should not have happened. */
  readonly warn: (message: string) => void;
}

const bodyLimitBytes = 64 * 1024;

/**
 * Takes orders on the data directory's socket, from its owner alone. Whoever calls this holds the directory's database, so
 * a socket that is there was left by a dead process. A directory whose path is too long gets none, and that is said.
 * @throws state-unwritable
 */
export async function openControlSocket({
  directory,
  administration,
  warn,
}: ControlOptions): Promise<Pick<OpenServer, 'close'>> {
  const path = toControlPath(directory);
  if (path === undefined) {
    warn(`the path of ${directory} is too long for a socket in it: orders are taken only while this does not run`);
    return { close: async () => {} };
  }
  try {
    if (await isSocket(path)) await rm(path);
    const server = await listenOnPath((request) => answerOrder(administration, request, warn), path);
    await chmod(path, 0o600);
    return server;
  } catch (error) {
    throw new TributaryError('state-unwritable', `opening the socket ${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSocket();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** `POST /orders/NAME` with the request as JSON; an `error` with code and message for what cannot be done. */
async function answerOrder(
  administration: Administration,
  request: Request,
  warn: ControlOptions['warn'],
): Promise<Response> {
  try {
    const name = /^\/orders\/(\w+)$/.exec(new URL(request.url).pathname)?.[1] ?? '';
    if (request.method !== 'POST' || !isOrderName(name)) throw refuse('There is no such order.');
    return Response.json(await giveOrder(administration, name, await readJson(request)));
  } catch (error) {
    if (error instanceof TributaryError) return toFailure(400, error);
    warn(`doing an order: ${messageOf(error)}`);
    return toFailure(500, new TributaryError('command-failed', 'the service could not do it; it says why'));
  }
}

async function readJson(request: Request): Promise<unknown> {
  const text = await readBody(request, bodyLimitBytes);
  if (text === undefined) throw refuse('The order is too long.');
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('The order is not JSON.');
  }
}

function toFailure(status: number, { code, message }: TributaryError): Response {
  return Response.json({ error: { code, message } }, { status });
}
