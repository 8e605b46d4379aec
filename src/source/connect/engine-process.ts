import { messageOf } from '../../errors/codes.ts';
import type { SpeakWith } from '../../system/spoken-program.ts';
import {
  createLineReader,
  type FromEngine,
  longestLineWithBooks,
  readFromEngine,
  type ToEngine,
  writeMessage,
} from './protocol.ts';

export interface EngineProcessOptions {
  readonly speakWith: SpeakWith;
  readonly launch: { readonly program: string; readonly args: readonly string[] };
  readonly env: Readonly<Record<string, string>>;
  /** A sound message. None comes after `onEnd`, nor after a line that was not sound. */
  readonly onMessage: (message: FromEngine) => void;
  /** A line of its standard error, for the log. */
  readonly onErrorLine: (line: string) => void;
  /** The process has ended: how, in words. Called once. */
  readonly onEnd: (how: string) => void;
}

/** A running engine. */
export interface EngineProcess {
  tell(message: ToEngine): void;
  hangUp(): void;
  kill(): void;
}

/**
 * Starts an engine and reads what it says. Agent and engine are of one package, so a line that is
 * not sound means a fault, or a stranger's hand: that process is ended at once, and none of what it
 * says afterwards is heard.
 */
export function startEngineProcess(options: EngineProcessOptions): EngineProcess {
  let fault: string | undefined;
  const refuse = (why: string): void => {
    fault ??= `was ended, because what it said is no message: ${why}`;
    spoken.kill();
  };
  const lines = createLineReader({
    longest: longestLineWithBooks,
    onTooLong: () => refuse('a line is too long'),
    onLine(line) {
      const message = fault === undefined ? read(line, refuse) : undefined;
      if (message !== undefined) options.onMessage(message);
    },
  });
  const spoken = options.speakWith({
    ...options.launch,
    env: options.env,
    onOutput: (bytes) => lines.write(bytes),
    onErrorLine: options.onErrorLine,
    onEnd: (how) => options.onEnd(fault ?? how),
  });
  return {
    tell: (message) => spoken.tell(writeMessage(message)),
    hangUp: spoken.hangUp,
    kill: spoken.kill,
  };
}

function read(line: string, refuse: (why: string) => void): FromEngine | undefined {
  try {
    return readFromEngine(line);
  } catch (error) {
    refuse(messageOf(error));
    return undefined;
  }
}
