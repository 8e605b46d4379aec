import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { systemCodeOf, toFailure } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';

const nameServerPatienceMs = 4000;

/**
 * An address of a URL's host; undefined: it has none. By getent, because a lookup in this process
 * cannot be aborted.
 */
export async function resolveName(exec: Exec, hostname: string): Promise<string | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return host;
  const command = { program: 'getent', args: ['ahosts', host], doing: `resolving ${host}` };
  const said = await exec({ ...command, timeoutMs: nameServerPatienceMs }).catch(toFailure());
  if (typeof said === 'string') return /^\S+/.exec(said)?.[0];
  return said.code === 'missing-program'
    ? (await lookup(host).catch(() => undefined))?.address
    : undefined;
}

/** A refused or forbidden datagram is reported by an error of the system, soon or not at all. */
const answerMs = 500;

/** The system's error code of one byte by UDP; undefined: nothing came back, as is usual. */
export async function tryDatagram(address: string, port: number): Promise<string | undefined> {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
  // What cannot be sent is told to the callback alone; a second error is no news.
  socket.once('connect', () => socket.send('?', (error) => error && socket.emit('error', error)));
  socket.on('error', () => undefined);
  socket.connect(port, address);
  const [error] = await once(socket, 'error', { signal: AbortSignal.timeout(answerMs) }).catch(
    () => [],
  );
  socket.close();
  return error && (systemCodeOf(error) ?? 'unknown');
}
