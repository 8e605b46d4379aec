import { createSocket } from 'node:dgram';

/** A question asked by UDP, again and again until an answer fits. */
export interface DatagramQuestion<Answer> {
  readonly host: string;
  readonly port: number;
  /** The question as bytes; `from` is the socket's own end. */
  readonly request: (from: { readonly address: string; readonly port: number }) => Buffer;
  /** undefined: this is no answer to it. */
  readonly decode: (bytes: Buffer) => Answer | undefined;
  /** Waits between two questions, and after the last (ms). */
  readonly waitsMs: readonly number[];
}

/** The first answer that fits, from where the question went; undefined: none came, or the other end is not there. */
export function askByDatagram<Answer>(
  question: DatagramQuestion<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { host, port, request, decode, waitsMs } = question;
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    let asked = 0;
    let timer: NodeJS.Timeout | undefined;
    const end = (answer?: Answer) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners('message');
      socket.close();
      resolve(answer);
    };
    const onAbort = () => end();
    const ask = () => {
      const waitMs = waitsMs[asked];
      asked += 1;
      if (waitMs === undefined) return end();
      // What cannot be sent now may be sent in a moment.
      socket.send(request(socket.address()), () => undefined);
      timer = setTimeout(ask, waitMs);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', onAbort, { once: true });
    const patienceMs = waitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
    timer = setTimeout(end, patienceMs);
    socket.once('error', () => end());
    socket.on('message', (bytes: Buffer) => {
      const answer = decode(bytes);
      if (answer !== undefined) end(answer);
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      ask();
    });
    socket.connect(port, host);
  });
}
