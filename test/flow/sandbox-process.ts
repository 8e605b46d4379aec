import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const script = `import { Command } from 'commander';
import { addCommand } from './src/cli/frame/add-command.ts';
import { loadSandbox } from './src/cli/sandbox.ts';
const program = new Command();
addCommand(program, { stdout: process.stdout, now: () => new Date() }, await loadSandbox());
await program.parseAsync();`;

/**
 * `tributary sandbox` in a process of its own that ends with the test, and the lines that it
 * writes.
 */
export async function runSandbox(...args: string[]): Promise<{
  readonly process: ChildProcess;
  readonly line: string;
  readonly more: AsyncIterable<string>;
}> {
  const command = [
    '--input-type=module',
    '--eval',
    script,
    '--',
    'sandbox',
    '--wireguard',
    'off',
    ...args,
  ];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const more = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { process: child, line: (await more.next()).value ?? '', more };
}

/** The service of `runSandbox`, and how to kill it. */
export async function runService(...args: string[]) {
  const { process: child, line } = await runSandbox('--json', ...args);
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const first: { readonly baseUrl: string; readonly authCode: string; readonly guestJwt: string } =
    JSON.parse(line);
  return { ...first, kill };
}
