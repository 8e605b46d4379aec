import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';

/** A command at a pseudo-terminal, and what is done there; it ends with the test. */
export function openTerminal(...argv: readonly string[]) {
  const words = [process.execPath, 'src/tributary.ts', ...argv]
    .map((word) => `'${word}'`)
    .join(' ');
  const command = `stty cols 200 rows 40; exec ${words}`;
  const child = spawn(
    'script',
    ['--quiet', '--flush', '--return', '--command', command, '/dev/null'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, HOME: '/nowhere', TERM: 'xterm' },
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let shown = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const plain = () => stripVTControlCharacters(shown);
  return {
    /** Waits until this is shown, after what was waited for before. */
    async until(text: string): Promise<void> {
      const deadlineMs = performance.now() + 60_000;
      while (plain().indexOf(text, seen) < 0) {
        if (performance.now() > deadlineMs || child.exitCode !== null)
          throw new Error(`no "${text}" in:\n${plain()}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      seen = plain().indexOf(text, seen) + text.length;
    },
    type: (text: string) => void child.stdin.write(text),
    /** The exit code, and all that was shown. */
    async end() {
      await ended;
      return { exitCode: child.exitCode, shown: plain() };
    },
  };
}

/** Keys that a person presses. */
export const keys = { enter: '\r', down: '\x1b[B', ctrlC: '\x03', clear: '\x15' };
