import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { onTestFinished } from 'vitest';

/** A loopback address of its own, so that a router can have the port that all routers have. */
export function chooseLoopback(): string {
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

/**
 * Something that answers on a UDP port, and keeps what it was asked. `answer` gives nothing: it
 * stays silent.
 */
export async function startResponder(
  port: number,
  answer: (question: Buffer) => Buffer | undefined,
) {
  const address = chooseLoopback();
  const asked: Buffer[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    asked.push(question);
    const bytes = answer(question);
    if (bytes !== undefined) socket.send(bytes, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(port, address, resolve));
  onTestFinished(() => {
    socket.close();
  });
  return { address, port: socket.address().port, asked };
}
