import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { namePatienceMs } from '../lib/connect-in-turn.ts';
import { sleep } from '../lib/sleep.ts';

/** A question that is sent by UDP repeatedly until an answer fits. */
export interface DatagramQuestion<Answer> {
  readonly host: string;
  readonly port: number;
  /** Every IPv4 address of a name: by default the system's own lookup. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>;
  /** The question as bytes; `from` is the socket's own end. */
  readonly request: (from: { readonly address: string; readonly port: number }) => Buffer;
  /** The answer in these bytes; undefined if they do not answer the question. */
  readonly decode: (bytes: Buffer) => Answer | undefined;
  /** Waits between two questions, and after the last one, in ms. */
  readonly waitsMs: readonly number[];
}

/**
 * The first answer that fits and comes from where the question went; undefined if none came or the
 * other end cannot be reached. Where one address of a name does not answer, the next one is asked.
 */
export async function askByDatagram<Answer>(
  question: DatagramQuestion<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  for (const host of await findAddresses(question, signal)) {
    const answer = await askAddress({ ...question, host }, signal);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Empty where the name is not resolved before the system's own tries are over. */
async function findAddresses(
  { host, lookUp = lookUpIpv4 }: Pick<DatagramQuestion<unknown>, 'host' | 'lookUp'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const over = new AbortController();
  const end = () => over.abort();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const found = lookUp(host).catch(() => []);
  const late = sleep(namePatienceMs, over.signal).then(() => []);
  const addresses = await Promise.race([found, late]);
  end();
  signal.removeEventListener('abort', end);
  return addresses;
}

async function lookUpIpv4(host: string): Promise<readonly string[]> {
  return (await dns.lookup(host, { all: true, family: 4 })).map(({ address }) => address);
}

async function askAddress<Answer>(
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
  if (signal.aborted) end();
  else socket.connect(port, host);
  await once(socket, 'connect', { signal: over.signal }).catch(end);
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
