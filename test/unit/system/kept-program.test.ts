import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keepProgram } from '../../../src/system/kept-program.ts';
import { waitUntil } from '../../patience.ts';

function keep(script: string, program = 'sh') {
  const controller = new AbortController();
  const lines: string[] = [];
  let returns = 0;
  const kept = keepProgram(
    {
      program,
      args: ['-c', script],
      onLine: (line) => lines.push(line),
      onReturn: () => {
        returns += 1;
      },
    },
    controller.signal,
  );
  const stop = async () => {
    controller.abort();
    await kept.ended;
  };
  onTestFinished(stop);
  return { kept, lines, stop, returns: () => returns };
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a program that is kept', () => {
  test('is heard line by line, as it speaks', async () => {
    const { lines } = keep('echo one; printf tw; sleep 0.1; echo o; exec sleep 60');
    await waitUntil(() => expect(lines).toEqual(['one', 'two']));
  });

  test('is started again when it ends, killed or not, and that is said', async () => {
    const { lines, returns, kept } = keep('echo $$; exec sleep 60');
    await waitUntil(() => expect(lines).toHaveLength(1));
    expect(returns()).toBe(0);
    process.kill(Number(lines[0]), 'SIGKILL');
    await waitUntil(() => expect([lines.length, returns()]).toEqual([2, 1]));
    kept.restart();
    await waitUntil(() => expect([lines.length, returns()]).toEqual([3, 2]));
    expect(lines.slice(0, 2).map((pid) => isAlive(Number(pid)))).toEqual([false, false]);
  });

  test('is back at once after any number of restarts, which are no failures', async () => {
    const { lines, kept } = keep('echo $$; exec sleep 60');
    for (let times = 1; times <= 12; times += 1) {
      await waitUntil(() => expect(lines).toHaveLength(times));
      kept.restart();
    }
  });

  test('is ended by a restart though it was stopped', async () => {
    const { lines, kept } = keep('echo $$; exec sleep 60');
    await waitUntil(() => expect(lines).toHaveLength(1));
    process.kill(Number(lines[0]), 'SIGSTOP');
    kept.restart();
    await waitUntil(() => expect(lines).toHaveLength(2));
    expect(isAlive(Number(lines[0]))).toBe(false);
  });

  test('that ends at once, or is not there, is not tried without a pause', async () => {
    const quick = keep('echo again');
    const missing = keep('', '/nowhere/at-all');
    await waitUntil(() => expect(quick.lines.length).toBeGreaterThan(0));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(quick.lines.length).toBeLessThan(15);
    expect(missing.returns()).toBeLessThan(15);
  });

  test('has ended when its end was awaited', async () => {
    const { lines, stop } = keep('echo $$; exec sleep 60');
    await waitUntil(() => expect(lines).toHaveLength(1));
    await stop();
    expect(isAlive(Number(lines[0]))).toBe(false);
  });

  test('ends with the process that keeps it, by kill -9 too', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tributary-kept-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const [script, pidFile] = [join(directory, 'keeper.ts'), join(directory, 'pid')];
    const module = join(import.meta.dirname, '../../../src/system/kept-program.ts');
    await writeFile(
      script,
      `import { keepProgram } from ${JSON.stringify(module)};
      const args = ['-c', ${JSON.stringify(`echo $$ >${pidFile}; exec sleep 60`)}];
      keepProgram({ program: 'sh', args, onLine: () => {}, onReturn: () => {} }, new AbortController().signal);`,
    );
    const keeper = spawn(process.execPath, [script], { stdio: 'ignore' });
    const pid = await waitUntil(async () => {
      const read = Number(await readFile(pidFile, 'utf8'));
      expect(read).toBeGreaterThan(0);
      return read;
    });
    expect(isAlive(pid)).toBe(true);
    keeper.kill('SIGKILL');
    await waitUntil(() => expect(isAlive(pid)).toBe(false));
  });
});

test('a program that the machine refuses to start is tried again, and ends nothing', async () => {
  const controller = new AbortController();
  let returns = 0;
  const onReturn = () => {
    returns += 1;
  };
  // Longer than the kernel takes, so that the call itself fails, as without memory.
  const args = ['x'.repeat(1024 ** 2)];
  const program = { program: 'true', args, onLine: () => undefined };
  const kept = keepProgram({ ...program, onReturn }, controller.signal);
  await expect.poll(() => returns).toBeGreaterThan(0);
  controller.abort();
  await kept.ended;
});

test('a program that no descriptor is left for is tried again, and ends nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-kept-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const script = join(directory, 'keeper.ts');
  const module = join(import.meta.dirname, '../../../src/system/kept-program.ts');
  await writeFile(
    script,
    `import { closeSync, openSync } from 'node:fs';
    import { keepProgram } from ${JSON.stringify(module)};
    const held: number[] = [];
    try {
      for (;;) held.push(openSync('/dev/null'));
    } catch {}
    keepProgram(
      {
        program: 'echo',
        args: ['heard'],
        onLine: (line) => process.exit(line === 'heard' && held.length === 0 ? 0 : 1),
        onReturn: () => held.splice(0).forEach((one) => closeSync(one)),
      },
      new AbortController().signal,
    );`,
  );
  const limited = ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, script];
  const keeper = spawn('sh', limited, { stdio: 'ignore' });
  expect(await once(keeper, 'exit')).toEqual([0, null]);
});
