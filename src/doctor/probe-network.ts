import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { systemCodeOf, toFailure } from '../errors/codes.ts';
import { namePatienceMs } from '../lib/connect-in-turn.ts';
import type { Exec } from '../system/exec.ts';

/**
 * An address of a URL's host; undefined without one. getent is asked, because a lookup in this
 * process cannot be aborted. It is given the time in which the agent itself would get an answer.
 */
export async function resolveName(exec: Exec, hostname: string): Promise<string | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return host;
  const command = { program: 'getent', args: ['ahosts', host], doing: `resolving ${host}` };
  const said = await exec({ ...command, timeoutMs: namePatienceMs }).catch(toFailure());
  if (typeof said === 'string') return /^\S+/.exec(said)?.[0];
  return said.code === 'missing-program'
    ? (await lookup(host).catch(() => undefined))?.address
    : undefined;
}

/** The system reports a refused or forbidden datagram within this time (ms), or not at all. */
const answerMs = 500;

/**
 * Sends one byte by UDP. The system's error code; undefined if nothing came back, which is usual.
 */
export async function tryDatagram(address: string, port: number): Promise<string | undefined> {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
  let failure: Error | undefined;
  // A second error says nothing new.
  socket.on('error', (error) => (failure ??= error));
  // A datagram that cannot be sent is reported to the callback only.
  socket.once('connect', () => socket.send('?', (error) => error && socket.emit('error', error)));
  socket.connect(port, address);
  await once(socket, 'error', { signal: AbortSignal.timeout(answerMs) }).catch(() => undefined);
  // All checks run at once. In a busy process the time is over before the answer is read.
  await nextRound();
  socket.close();
  return failure && (systemCodeOf(failure) ?? 'unknown');
}
