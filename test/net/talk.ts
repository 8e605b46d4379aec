import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TalkerCommand } from './talker.ts';

/** A process in a namespace that talks to others, see talker.ts. */
export interface Talker {
  say(command: TalkerCommand): Promise<string>;
  /** How often a UDP word was heard, once everything sent before has arrived. */
  heard(): Promise<Readonly<Record<string, number>>>;
  stop(): Promise<void>;
}

export function startTalker(netns: string): Talker {
  const talker = fileURLToPath(new URL('./talker.ts', import.meta.url));
  const argv = [
    'netns',
    'exec',
    netns,
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    talker,
  ];
  const child = spawn('ip', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (result: string) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id: number; result: string };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let next = 0;
  const say = (command: TalkerCommand) =>
    new Promise<string>((resolve) => {
      next += 1;
      waiting.set(next, resolve);
      child.stdin.write(`${JSON.stringify({ id: next, command })}\n`);
    });
  return {
    say,
    heard: async () => JSON.parse(await say({ kind: 'heard' })),
    async stop() {
      child.stdin.end();
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
