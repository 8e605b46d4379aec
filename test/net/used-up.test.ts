import { describe, expect, onTestFinished, test } from 'vitest';
import { nftMonitor, usedUpLine } from '../../src/system/nft-monitor.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { startProcess } from '../../tools/lab/processes.ts';

const table =
  'table inet strange { quota few { over 500 bytes }; chain out { type filter hook output priority 0; quota name few drop; }; }';

/** The monitor in a network namespace of its own, in which `work` is done again and again. */
function monitorWhile(work: string) {
  const script = `ip link set lo up; nft '${table}' || exit; "$@" & while :; do ${work}; done`;
  const [program, args] = [nftMonitor.program, nftMonitor.args];
  // All of it ends with its first process.
  const own = ['unshare', '--net', '--pid', '--fork', '--kill-child'] as const;
  const argv = [...own, 'sh', '-c', script, 'sh', program, ...args] as const;
  const running = startProcess({ argv });
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.exited;
  });
  return running;
}

describe.skipIf(!isInsideLab())('the monitor of nft', () => {
  test('says that a quota is used up, each time again', async () => {
    const running = monitorWhile(
      'ping -q -c 8 -i 0.02 -W 1 127.0.0.1 > /dev/null; nft reset quota inet strange few > /dev/null',
    );
    const countUsedUp = () =>
      running.lines.filter((line) => line === `${usedUpLine} strange`).length;
    await expect.poll(countUsedUp).toBeGreaterThan(2);
  });

  test('says no such thing where a program changes the quota', async () => {
    const running = monitorWhile(
      `nft '${table.replace('500', '600')}'; nft 'delete table inet strange; ${table}'; sleep 0.05`,
    );
    const count = (start: string) => running.lines.filter((line) => line.startsWith(start)).length;
    await expect.poll(() => count('# new generation')).toBeGreaterThan(10);
    expect(count('message about inet strange')).toBeGreaterThan(5);
    expect(count(usedUpLine)).toBe(0);
  });
});
