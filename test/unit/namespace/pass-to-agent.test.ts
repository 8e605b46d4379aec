import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { passToAgent } from '../../../src/namespace/run-inside.ts';

/** A process that ends at any signal, as pasta does, around one that runs this script. */
async function startAround(script: string) {
  const text = `${script}; process.stdout.write('ready\\n'); setInterval(() => {}, 1e6)`;
  const around = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(text)}], { stdio: 'inherit' }).on('exit', (code, signal) => console.log(signal ?? code))`;
  const pasta = spawn(process.execPath, ['-e', around], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // With what it started, also where the test fails.
  onTestFinished(() => {
    try {
      process.kill(-Number(pasta.pid), 'SIGKILL');
    } catch {
      // They have ended.
    }
  });
  const lines: string[] = [];
  pasta.stdout.on('data', (data) => lines.push(...String(data).trim().split('\n')));
  await expect.poll(() => lines).toContain('ready');
  return { pasta, lines };
}

test('a signal reaches the agent, and pasta outlives it', async () => {
  const listening = "process.on('SIGTERM', () => process.exit(7)).on('SIGHUP', () => undefined)";
  const { pasta, lines } = await startAround(listening);
  await passToAgent(pasta, 'SIGTERM');
  await once(pasta, 'exit');
  expect([lines.at(-1), pasta.signalCode]).toEqual(['7', null]);
});

test('an agent that does not listen yet is ended all the same', async () => {
  const { pasta, lines } = await startAround('');
  await passToAgent(pasta, 'SIGTERM');
  await once(pasta, 'exit');
  expect([lines.at(-1), pasta.signalCode]).toEqual(['SIGKILL', null]);
});

test('an agent that does not listen yet gets no reload', async () => {
  const { pasta, lines } = await startAround('');
  await passToAgent(pasta, 'SIGHUP');
  await passToAgent(pasta, 'SIGTERM');
  await once(pasta, 'exit');
  expect(lines).toEqual(['ready', 'SIGKILL']);
});

test('without an agent, the signal ends pasta', async () => {
  const pasta = spawn('sleep', ['60']);
  await passToAgent(pasta, 'SIGTERM');
  await once(pasta, 'exit');
  expect(pasta.signalCode).toBe('SIGTERM');
});
