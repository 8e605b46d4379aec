import type { Readable, Writable } from 'node:stream';
import type { PacketDevice } from '../tun/tun-device.ts';
import { createLineReader } from './line-reader.ts';
import {
  type FromEngine,
  longestLineWithBooks,
  type StartMessage,
  type ToEngine,
} from './messages.ts';
import { MessageError, readToEngine, writeMessage } from './read-messages.ts';
import { createSession, type Session } from './session.ts';

export interface RunEngineOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** @throws Error where the device was not handed over */
  readonly takeDevice: () => PacketDevice;
  /** Aborted where the process is asked to end by a signal: as `stop` without `final`. */
  readonly terminated: AbortSignal;
  /** From 0 to 1, for pauses. */
  readonly random: () => number;
}

/** More than this is written only where the agent reads. */
const mostUnread = 64 * 1024;

/**
 * Does what the lines of the input say, and writes the answers to the output. Resolves when all is
 * done and written; where the input ends before, at once and with nothing done.
 */
export async function runEngine(options: RunEngineOptions): Promise<void> {
  const { input, output } = options;
  const { promise: isOver, resolve: finish, reject } = Promise.withResolvers<void>();
  let session: Session | undefined;

  const write = (line: string): void => void output.write(line);
  const say = (message: FromEngine): void => write(writeMessage(message));
  const refuse = (why: string): void =>
    say({ type: 'problem', code: 'line-refused', message: `a line of the agent: ${why}` });

  const end = (): void => void output.write('', () => finish());
  const open = (start: StartMessage): void => {
    const device = takeDevice(start);
    if (device === undefined) {
      end();
      return;
    }
    const isHeard = (): boolean => output.writableLength < mostUnread;
    session = createSession({ start, device, write, isHeard, random: options.random });
    session.run().then(end, reject);
  };
  const takeDevice = ({ device, books }: StartMessage): PacketDevice | undefined => {
    try {
      return options.takeDevice();
    } catch (error) {
      const message = `the device ${device}: ${(error as Error).message}`;
      say({ type: 'problem', code: 'device-unavailable', message });
      say({ type: 'ended', reportsLeft: books?.waiting?.length ?? 0 });
      return undefined;
    }
  };

  const take = (message: ToEngine): void => {
    if (message.type === 'start') {
      if (session === undefined) open(message);
      else refuse('it starts a second time');
    } else if (session !== undefined) steer(session, message);
    else if (message.type === 'stop') end();
    else refuse(`${message.type} before start`);
  };

  const reader = createLineReader({
    longest: longestLineWithBooks,
    onTooLong: () => refuse('too long'),
    onLine(line) {
      try {
        take(readToEngine(line));
      } catch (error) {
        if (!(error instanceof MessageError)) throw error;
        refuse(error.message);
      }
    },
  });
  input.on('data', reader.write);
  // The agent is gone: nobody keeps the books.
  for (const stream of [input, output]) stream.on('error', () => finish());
  input.once('end', () => finish());
  options.terminated.addEventListener('abort', () => {
    if (session === undefined) finish();
    else session.stop({ final: false });
  });
  await isOver;
}

function steer(session: Session, message: Exclude<ToEngine, StartMessage>): void {
  switch (message.type) {
    case 'token':
      session.renew(message.token);
      break;
    case 'wish':
      session.want(message.wish);
      break;
    case 'network':
      session.noteNetwork();
      break;
    case 'kept':
      session.kept(message.number);
      break;
    case 'stop':
      session.stop(message);
      break;
    default:
      message satisfies never;
  }
}
