import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { sleep } from '../lib/sleep.ts';

/** A question that is sent by UDP repeatedly until an answer fits. */
export interface DatagramQuestion<Answer> {
  readonly host: string;
  readonly port: number;
  /** The question as bytes; `from` is the socket's own end. */
  readonly request: (from: { readonly address: string; readonly port: number }) => Buffer;
  /** The answer in these bytes; undefined if they do not answer the question. */
  readonly decode: (bytes: Buffer) => Answer | undefined;
  /** Waits between two questions, and after the last one, in ms. */
  readonly waitsMs: readonly number[];
}

/**
 * The first answer that fits and comes from where the question went; undefined if none came or the
 * other end cannot be reached.
 */
export async function askByDatagram<Answer>(
  { host, port, request, decode, waitsMs }: DatagramQuestion<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const over = new AbortController();
  const end = () => over.abort();
  let answer: Answer | undefined;
  const socket = createSocket('udp4').on('error', end);
  socket.on('message', (bytes) => {
    answer ??= decode(bytes);
    if (answer !== undefined) end();
  });
  signal.addEventListener('abort', end, { once: true });
  const patienceMs = waitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
  const timer = setTimeout(end, patienceMs);
  if (signal.aborted) end();
  else socket.connect(port, host);
  await once(socket, 'connect', { signal: over.signal }).catch(end);
  clearTimeout(timer);
  for (const waitMs of waitsMs) {
    if (over.signal.aborted) break;
    // A send that fails now, for want of a route for example, may succeed at the next try.
    socket.send(request(socket.address()), () => undefined);
    await sleep(waitMs, over.signal);
  }
  signal.removeEventListener('abort', end);
  socket.close();
  return answer;
}
