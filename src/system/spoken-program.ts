import { type ChildProcess, spawn } from 'node:child_process';

/** A program that is told things by its standard input, and heard by its standard output. */
interface SpokenProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** All of its environment: it gets nothing of ours. */
  readonly env: Readonly<Record<string, string>>;
  /** Bytes of its standard output, as they come. */
  readonly onOutput: (bytes: Buffer) => void;
  /** A line of its standard error, cut; `errorLines` of them at most. */
  readonly onErrorLine: (line: string) => void;
  /** It has ended, or could not be started; called once, and last. */
  readonly onEnd: (how: string) => void;
}

/** A program that was started. */
interface Spoken {
  /** undefined where it could not be started. */
  readonly pid: number | undefined;
  /** Writes a text to its standard input. What it no longer takes is dropped. */
  tell(text: string): void;
  /** Ends its standard input, which tells it to end. */
  hangUp(): void;
  /** Ends it at once. */
  kill(): void;
}

/** The one way to start such a program. Nothing is thrown: what fails is told by `onEnd`. */
export type SpeakWith = (program: SpokenProgram) => Spoken;

/** A program that says more than this has a fault: the rest tells nobody anything new. */
const errorLines = 100;
const errorLineLength = 400;

/** It does not outlive this process: what starts it asks the kernel for that (`setpriv`). */
export const speakWith: SpeakWith = ({ program, args, env, onOutput, onErrorLine, onEnd }) => {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.on('data', onOutput);
  hearErrors(child, onErrorLine);
  // A program that ended takes nothing any more; how it ended says enough.
  child.stdin.on('error', () => undefined);
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = `could not be started: ${error.message}`;
  });
  child.once('close', (exitCode, signal) => {
    const how = signal === null ? `exited with ${exitCode}` : `was ended by ${signal}`;
    onEnd(failure ?? how);
  });
  return {
    pid: child.pid,
    tell: (text) => void child.stdin.write(text),
    hangUp: () => void child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  };
};

function hearErrors(child: ChildProcess, onErrorLine: SpokenProgram['onErrorLine']): void {
  let rest = '';
  let left = errorLines;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, errorLineLength);
    for (const line of lines.filter((own) => own.trim() !== '').slice(0, left)) {
      left -= 1;
      onErrorLine(line.slice(0, errorLineLength));
    }
  });
}
