import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLineReader } from '../../../src/connect/engine/line-reader.ts';
import {
  longestLineWithBooks,
  type StartMessage,
  type StateMessage,
} from '../../../src/connect/engine/messages.ts';
import { readFromEngine, writeMessage } from '../../../src/connect/engine/read-messages.ts';
import { LabError } from '../../lab/lab-error.ts';

/** The engine's process with an agent that only answers it. */
export interface EngineProcess {
  readonly pid: number;
  state(): StateMessage | undefined;
  /** Resolves once it is connected, and what it offers is published. @throws LabError */
  waitForLife(): Promise<void>;
  stop(): Promise<void>;
}

const longestWait = 20_000;

/** Runs this command line, which becomes the engine. */
export function startEngineProcess(
  [program = '', ...args]: readonly string[],
  start: StartMessage,
): EngineProcess {
  const child: ChildProcess = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const said: string[] = [];
  let state: StateMessage | undefined;
  let wake: () => void = () => undefined;
  const tell = (message: Parameters<typeof writeMessage>[0]): void =>
    void child.stdin?.write(writeMessage(message));
  const reader = createLineReader({
    longest: longestLineWithBooks,
    onTooLong: () => undefined,
    onLine(line) {
      const message = readFromEngine(line);
      if (message.type === 'keep') tell({ type: 'kept', number: message.number });
      else if (message.type === 'state') state = message;
      else said.push(line);
      wake();
    },
  });
  child.stdout?.on('data', reader.write);
  child.stderr?.on('data', (text) => said.push(String(text)));
  child.once('exit', () => wake());
  tell(start);
  return {
    pid: child.pid ?? 0,
    state: () => state,
    async waitForLife() {
      const deadline = AbortSignal.timeout(longestWait);
      while (!(state?.isConnected && state.isPublished)) {
        if (deadline.aborted || child.exitCode !== null || child.signalCode !== null)
          throw new LabError(`the engine is not connected: ${said.slice(-3).join(' | ')}`);
        await Promise.race([
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
          once(deadline, 'abort'),
        ]);
      }
    },
    async stop() {
      tell({ type: 'stop', final: true });
      await ended;
    },
  };
}
