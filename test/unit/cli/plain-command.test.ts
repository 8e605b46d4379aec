import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { health } from '../../../src/cli/commands/advanced/health.ts';
import { run } from '../../../src/cli/commands/advanced/run.ts';
import { pause, provide, resume } from '../../../src/cli/commands/everyday/provide.ts';
import { status } from '../../../src/cli/commands/everyday/status.ts';
import { readOptions, runPlainCommand } from '../../../src/cli/plain-command.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { now, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { createContext, runCommand } from './run-command.ts';

const document = buildStatusDocument(providingFacts, now);

/** An agent of this version, or of another one, that answers with this. */
async function answerWith(answers: Readonly<Record<string, unknown>>, version: string | undefined) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-plain-'));
  const socketPath = join(directory, 'tributary.sock');
  const server = createServer((request, response) => {
    if (version !== undefined) response.setHeader('Tributary-Version', version);
    response.end(JSON.stringify(answers[request.url ?? '']));
  }).listen(socketPath);
  await once(server, 'listening');
  return {
    socketPath,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function runPlainly(argv: readonly string[], socketPath: string) {
  const { context, result } = createContext(socketPath);
  const isDone = await runPlainCommand(argv, context);
  return isDone ? result() : undefined;
}

describe('a command line that leaves nothing to judge', () => {
  test.each([
    [['status']],
    [['status', '--json']],
    [['status', '--config', 'a', '--state-dir=b', '--json']],
    [['health']],
    [['health', '--json', '--state-dir', 'b']],
    [['provide']],
    [['provide', '--json']],
    [['provide', 'none', '--json', '--config=c']],
    [['provide', 'friends', '--for', '2h']],
    [['provide', '--clear']],
    [['provide', 'auto', '--for=2h']],
    [['provide', 'everybody']],
    [['pause', '--for', '2h', '--json']],
    [['resume']],
  ])('%j has the very result that it has from the whole program', async (argv) => {
    await using agent = await answerWith(
      {
        '/status.json': document,
        '/provide': document.provide,
        '/health': { healthy: true, message: 'idle' },
      },
      '0.0.0',
    );
    const command = { status, health, provide, pause, resume }[argv[0] ?? ''] ?? status;
    const whole = await runCommand(command, agent.socketPath, argv).catch(messageOf);
    expect(await runPlainly(argv, agent.socketPath).catch(messageOf)).toEqual(whole);
  });

  test('hands on the paths that it names', async () => {
    const { context } = createContext('/nowhere/tributary.sock');
    let asked: unknown;
    const resolvePlaces = async (options: unknown) => {
      asked = options;
      return { socketPaths: ['/nowhere/tributary.sock'], onlyOf: undefined };
    };
    const argv = ['health', '--config', 'a', '--state-dir=b'];
    await runPlainCommand(argv, { ...context, resolvePlaces });
    expect(asked).toEqual({ config: 'a', stateDir: 'b' });
  });

  test.each([
    [
      ['run', '--own-namespace', '--keep-fence', '--config', 'a'],
      { ownNamespace: true, keepFence: true, config: 'a' },
    ],
    [['run', '--dry-run', '--state-dir=b'], { dryRun: true, stateDir: 'b' }],
    [['run'], {}],
  ])('%j is read as the whole program reads it', async (argv, expected) => {
    let read: unknown;
    const noting = {
      ...run,
      act: async ({ options }: { readonly options: unknown }) => {
        read = options;
      },
    };
    await runCommand(noting, '/nowhere', argv);
    expect(read).toEqual(expected);
    expect(readOptions(argv.slice(1), run)).toEqual(expected);
  });

  test('fails as the whole program does', async () => {
    const nowhere = '/nowhere/tributary.sock';
    const plainly = await runPlainly(['status'], nowhere).catch(messageOf);
    expect(plainly).toBe(await runCommand(status, nowhere, ['status']).catch(messageOf));
    expect(await runPlainly(['health'], nowhere)).toEqual(
      await runCommand(health, nowhere, ['health']),
    );
  });

  test.each([['--version'], ['-V']])('%s is the version', async (flag) => {
    expect(await runPlainly([flag], '/nowhere')).toEqual({
      stdout: '0.0.0\n',
      exitCode: undefined,
    });
  });
});

test.each([
  [[]],
  [['run', '--json']],
  [['run', '--no-keep-fence']],
  [['run', '--keep-fence=1']],
  [['toString']],
  [['--json', 'status']],
  [['--config', 'a', 'status']],
  [['--version', 'status']],
  [['status', '--version']],
  [['status', '--watch']],
  [['status', '--help']],
  [['status', '--jsonn']],
  [['status', '--json=1']],
  [['status', '--config']],
  [['status', '--config', '--json']],
  [['status', '--config', 'a', '--config=b']],
  [['provide', 'none', '--for', '1h', '--for', '2h']],
  [['status', '-V']],
  [['status', '--', '--json']],
  [['health', 'now']],
  [['provide', 'none', 'now']],
  [['provide', '--for', '2h', 'none']],
  [['provide', 'none', '--for']],
  [['provide', 'none', '--help']],
])('%j is left to the whole program', async (argv) => {
  expect(await runPlainly(argv, '/nowhere')).toBeUndefined();
});

describe("an agent's document", () => {
  const strange = { ...document, usage: { ...document.usage, bytes: 'many' } };

  test('of another version is checked before it is shown', async () => {
    await using agent = await answerWith({ '/status.json': strange }, '0.0.1');
    const shown = runPlainly(['status'], agent.socketPath);
    await expect(shown).rejects.toThrow(
      "reading the agent's status: usage.bytes is not as expected; is it another version?",
    );
    await using silent = await answerWith({ '/status.json': strange }, undefined);
    await expect(runPlainly(['status'], silent.socketPath)).rejects.toThrow(
      'usage.bytes is not as expected',
    );
  });

  test('of this version needs no check', async () => {
    await using agent = await answerWith({ '/status.json': strange }, '0.0.0');
    expect(await runPlainly(['status'], agent.socketPath)).toMatchObject({
      stdout: expect.stringContaining('Usage'),
    });
  });

  test('that is no health document counts as unhealthy', async () => {
    await using agent = await answerWith({ '/health': { healthy: 'yes' } }, '0.0.0');
    expect(await runPlainly(['health'], agent.socketPath)).toEqual({
      stdout: 'unhealthy: its answer is not as expected; is it another version?\n',
      exitCode: 1,
    });
  });
});
