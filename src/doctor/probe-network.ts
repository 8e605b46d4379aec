import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hasCode, systemCodeOf } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';

const nameServerPatienceMs = 4000;

/** An address of the name; undefined: it has none. By getent, because a lookup in this process cannot be aborted. */
export async function resolveName(exec: Exec, host: string): Promise<string | undefined> {
  if (isIP(host) !== 0) return host;
  const args = ['ahosts', host];
  try {
    const text = await exec({ program: 'getent', args, doing: `resolving ${host}`, timeoutMs: nameServerPatienceMs });
    return /^\S+/.exec(text)?.[0];
  } catch (error) {
    if (hasCode(error, 'missing-program')) return (await lookup(host).catch(() => undefined))?.address;
    return undefined;
  }
}

/** A refused or forbidden datagram is reported by an error of the system, soon or not at all. */
const answerMs = 500;

/** The system's error code of one byte by UDP; undefined: nothing came back, as is usual. */
export async function tryDatagram(address: string, port: number): Promise<string | undefined> {
  const { promise: failure, resolve } = Promise.withResolvers<Error | null>();
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4').on('error', resolve);
  const timer = setTimeout(resolve, answerMs, null);
  socket.once('connect', () => socket.send('?', (error) => error && resolve(error)));
  socket.connect(port, address);
  const error = await failure;
  clearTimeout(timer);
  socket.close();
  return error === null ? undefined : (systemCodeOf(error) ?? 'unknown');
}
