import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { completeSecrets, saveSecrets } from '../../../src/connect/contract/secrets.ts';
import { createLineReader } from '../../../src/connect/engine/line-reader.ts';
import {
  type FromEngine,
  type KeepMessage,
  longestLineWithBooks,
  type StartMessage,
  type StateMessage,
  type ToEngine,
} from '../../../src/connect/engine/messages.ts';
import { readFromEngine, writeMessage } from '../../../src/connect/engine/read-messages.ts';
import { runEngine } from '../../../src/connect/engine/run-engine.ts';
import { createIdSource, toUuid } from '../../../src/connect/wire/id.ts';
import { waitUntil } from '../../patience.ts';
import { createEchoDevice } from './socket-consumer.ts';
import { startTestPlatform, type TestPlatform } from './test-platform.ts';

/** An engine between a small agent, which answers each `keep`, and a platform on real sockets. */
export async function startEngineWorld(over: Partial<StartMessage> = {}) {
  const ids = createIdSource({ randomBytes });
  const platform = await startTestPlatform(ids);
  onTestFinished(() => platform[Symbol.asyncDispose]());
  const ownId = ids.next(Date.now());
  const start: StartMessage = {
    ...toStart(platform),
    ownId: toUuid(ownId),
    token: toUuid(ownId),
    instanceId: toUuid(ids.next(Date.now())),
    ...over,
  };
  return { ids, platform, ownId, start, startEngine };
}

function toStart(platform: TestPlatform): Omit<StartMessage, 'ownId' | 'token' | 'instanceId'> {
  return {
    type: 'start',
    urls: [platform.url],
    controlUrl: platform.controlUrl,
    authority: null,
    appVersion: '0.0.1',
    secrets: saveSecrets(completeSecrets(randomBytes)),
    identity: null,
    isSealingRequired: false,
    published: null,
    wish: 'public',
    pool: {
      ipv4: { first: '100.112.0.2', count: 60_000 },
      ipv6: { first: 'fd00::2', count: 60_000 },
    },
    device: 'connect0',
    mostUnpaidBytes: 268_435_456,
    books: null,
    largestId: null,
  };
}

export interface RunningEngine {
  /** What it said, in order. */
  readonly messages: readonly FromEngine[];
  /** The last books that it gave. */
  kept(): KeepMessage | undefined;
  state(): StateMessage | undefined;
  tell(message: ToEngine): void;
  write(text: string): void;
  /** Nothing is kept any more, until it is asked to again. */
  setKeeping(isKeeping: boolean): void;
  /** Ends its input, as an agent that is killed. */
  abandon(): void;
  terminate(): void;
  /** Its device is deleted. */
  endDevice(): void;
  waitFor<Type extends FromEngine['type']>(
    type: Type,
    fields?: Partial<Extract<FromEngine, { type: Type }>>,
  ): Promise<void>;
  readonly ended: Promise<void>;
}

export function startEngine(
  start: StartMessage | undefined,
  takeDevice: (() => never) | undefined = undefined,
): RunningEngine {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const messages: FromEngine[] = [];
  const terminated = new AbortController();
  const device = createEchoDevice();
  let isKeeping = true;
  let kept: KeepMessage | undefined;
  let state: StateMessage | undefined;
  const tell = (message: ToEngine): void => void input.write(writeMessage(message));
  const answer = (): void => {
    if (isKeeping && kept !== undefined) tell({ type: 'kept', number: kept.number });
  };
  const reader = createLineReader({
    longest: longestLineWithBooks,
    onTooLong: () => expect.unreachable(),
    onLine(line) {
      const message = readFromEngine(line);
      messages.push(message);
      if (message.type === 'state') state = message;
      if (message.type !== 'keep') return;
      kept = message;
      answer();
    },
  });
  output.on('data', reader.write);
  const ended = runEngine({
    input,
    output,
    takeDevice: takeDevice ?? (() => device),
    terminated: terminated.signal,
    random: () => 0,
  });
  if (start !== undefined) tell(start);
  // A test that failed half-way leaves nothing running.
  onTestFinished(() => terminated.abort());
  return {
    messages,
    ended,
    tell,
    kept: () => kept,
    state: () => state,
    write: (text) => void input.write(text),
    setKeeping(next) {
      isKeeping = next;
      answer();
    },
    abandon: () => void input.end(),
    terminate: () => terminated.abort(),
    endDevice: device.end,
    waitFor: (type, fields = {}) =>
      waitUntil(() =>
        expect(messages.filter((one) => one.type === type).at(-1)).toMatchObject(fields),
      ),
  };
}
