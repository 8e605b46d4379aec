import { readFileSync } from 'node:fs';
import { exec } from '../../../src/system/exec.ts';
import type { Lab } from '../../../tools/lab/lab.ts';

export interface RunningEngine {
  readonly pid: number;
  /** What the kernel says of it. */
  readonly status: string;
}

/** The engines of this lab's device: other labs may have theirs. */
export async function findEngines({ network }: Lab): Promise<readonly RunningEngine[]> {
  const args = ['netns', 'pids', network.netns('device')];
  const pids = await exec({ program: 'ip', args, doing: 'looking for engines' });
  return pids.split('\n').flatMap((text) => {
    const pid = Number(text);
    if (pid === 0) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (!command.some((word) => word.endsWith('/engine.cjs')) || command[0] === 'setpriv')
        return [];
      return [{ pid, status: readFileSync(`/proc/${pid}/status`, 'utf8') }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}
