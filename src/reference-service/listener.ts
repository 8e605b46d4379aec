import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, rethrow, TributaryError } from '../lib/errors.ts';
import { type AdminCommands, runAdminCommand } from './admin-commands.ts';
import { findControlPath } from './data-directory.ts';
import { BadBody, refuse } from './refusal.ts';

/** An IPv4 or IPv6 address; port 0 is a free one. */
export type ListenAddress = Readonly<{ address: string; port: number }>;

const graceMs = 500;

type Answer = (request: Request) => Response | Promise<Response>;

/** Serves the application over plain HTTP. @throws usage-invalid where the address cannot be listened on */
export async function listenOn(answer: Answer, { address, port }: ListenAddress) {
  const fail = rethrow('usage-invalid', `listening on ${address} port ${port}`);
  const server = await openServer(answer, { host: address, port }).catch(fail);
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function openServer(answer: Answer, where: ListenOptions): Promise<Server> {
  // The global Request and Response belong to the process, not to this server.
  const server = createAdaptorServer({ fetch: (request) => answer(request), overrideGlobalObjects: false }) as Server;
  await once(server.listen(where), 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  const grace = setTimeout(() => server.closeAllConnections(), graceMs);
  await server[Symbol.asyncDispose]();
  clearTimeout(grace);
}

/** Beyond this many times the limit the rest is not even read away. */
const patience = 16;

/** What is too long is read away, within reason, so that who still sends sees the answer. @throws usage-invalid */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes <= limitBytes) chunks.push(chunk);
    else if (bytes > limitBytes * patience) break;
  }
  if (bytes > limitBytes) throw new BadBody(413, 'Request Entity Too Large');
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new BadBody(400, 'The body is not JSON.');
  }
}

type Warn = (message: string) => void;
const commandLimitBytes = 64 * 1024;

/** Takes its owner's commands on the directory's socket; warns where its path is too long. @throws state-unwritable */
export async function openControlSocket(directory: string, commands: AdminCommands, warn: Warn) {
  const path = findControlPath(directory);
  if (path === undefined) {
    warn(`the path of ${directory} is too long for a socket in it: sandbox commands work only while this does not run`);
    return { close: async () => {} };
  }
  try {
    // The caller holds the directory's database, so a dead process left a socket that is there.
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSocket()) await rm(path);
    const server = await openServer((request) => answerCommand(commands, warn, request), { path });
    await chmod(path, 0o600);
    return { close: () => close(server) };
  } catch (error) {
    return rethrow('state-unwritable', `opening the socket ${path}`)(error);
  }
}

/** `POST /admin/NAME` with the request as JSON; an `error` with code and message for what cannot be done. */
async function answerCommand(commands: AdminCommands, warn: Warn, request: Request): Promise<Response> {
  try {
    const name = /^\/admin\/(\w+)$/.exec(new URL(request.url).pathname)?.[1] ?? '';
    if (request.method !== 'POST') throw refuse('A command is a POST.');
    return Response.json(await runAdminCommand(commands, name, await readJson(request, commandLimitBytes)));
  } catch (error) {
    if (error instanceof TributaryError) {
      const { code, message } = error;
      return Response.json({ error: { code, message } }, { status: 400 });
    }
    warn(`running a command: ${messageOf(error)}`);
    const failure = { code: 'command-failed', message: 'the service could not do it; it says why' };
    return Response.json({ error: failure }, { status: 500 });
  }
}
