import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { health } from '../../../src/cli/commands/advanced/health.ts';
import {
  pause,
  provide,
  readProvideBody,
  resume,
} from '../../../src/cli/commands/everyday/provide.ts';
import { status } from '../../../src/cli/commands/everyday/status.ts';
import { defineSystemCommand } from '../../../src/cli/commands/everyday/system-commands.ts';
import { config } from '../../../src/cli/commands/set-up/config.ts';
import { askForRights } from '../../../src/cli/commands/set-up/config-effect.ts';
import { reload } from '../../../src/cli/commands/set-up/reload.ts';
import { renderCommand } from '../../../src/cli/frame/command.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { now, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { makeDirectory, makeFile, withService } from '../config/config-fixture.ts';
import { createStatusFixture } from '../status/status-fixture.ts';
import { runCommand } from './run-command.ts';

async function startAgent(more: Parameters<typeof createStatusFixture>[1] = {}) {
  const agent = await createStatusFixture('no-page', more);
  await agent.start();
  return agent;
}

describe('tributary status', () => {
  test('shows people the phase first, coloured by how bad it is', async () => {
    await using agent = await startAgent();
    const { stdout } = await runCommand(status, agent.socketPath, ['status']);
    expect(stdout.split('\n')[0]).toBe('<green>Tributary is providing</green>');
    expect(stdout).toContain('\nTunnel    tributary0 (kernel) to 198.51.100.1:51820');
  });

  test('gives scripts the document as it is', async () => {
    await using agent = await startAgent();
    const { stdout } = await runCommand(status, agent.socketPath, ['status', '--json']);
    expect(JSON.parse(stdout)).toEqual(buildStatusDocument(providingFacts, now));
  });

  test('says that the agent does not run', async () => {
    const shown = runCommand(status, '/nowhere/tributary.sock', ['status']);
    await expect(shown).rejects.toMatchObject({ code: 'not-running' });
  });
});

describe('tributary health', () => {
  test.each([
    { isHealthy: true, exitCode: 0, stdout: 'healthy: providing\n' },
    { isHealthy: false, exitCode: 1, stdout: 'unhealthy: connecting for 400 s\n' },
  ])('ends with $exitCode and one line', async ({ isHealthy, exitCode, stdout }) => {
    await using agent = await startAgent();
    agent.state.isHealthy = isHealthy;
    expect(await runCommand(health, agent.socketPath, ['health'])).toEqual({ exitCode, stdout });
  });

  test('ends with 1 where no agent runs', async () => {
    const result = await runCommand(health, '/nowhere/tributary.sock', ['health', '--json']);
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject({ healthy: false });
  });
});

describe('tributary provide', () => {
  test('shows the mode and changes nothing', async () => {
    await using agent = await startAgent();
    const { stdout } = await runCommand(provide, agent.socketPath, ['provide']);
    expect(stdout).toBe(
      'Mode: public (as configured), confirmed by the service\nLimit: 20.0 Mbit/s each way (as configured), your household goes first\n',
    );
    expect(agent.state.commands).toEqual([]);
  });

  test('sets a mode for a while, then takes it back', async () => {
    await using agent = await startAgent();
    const set = await runCommand(provide, agent.socketPath, [
      'provide',
      'none',
      '--for',
      '2h',
      '--json',
    ]);
    expect(JSON.parse(set.stdout)).toMatchObject({
      override: { mode: 'none', until: '2026-03-14T14:00:00.000Z' },
      effective: 'none',
    });
    await runCommand(provide, agent.socketPath, [
      'provide',
      'public',
      '--limit',
      '10 Mbit',
      '--for',
      '8h',
    ]);
    const open = await runCommand(provide, agent.socketPath, [
      'provide',
      'public',
      '--limit',
      '1.5Mbit',
    ]);
    expect(open.stdout).toContain('In public, anyone may come: strangers use your address');
    await runCommand(provide, agent.socketPath, ['provide', 'auto']);
    await runCommand(provide, agent.socketPath, ['provide', '--clear']);
    expect(agent.state.commands).toEqual([
      ['none', 7200],
      ['public', 28_800, 10_000_000],
      ['public', undefined, 1_500_000],
      ['cleared', undefined],
      ['cleared', undefined],
    ]);
  });

  test.each([
    { claim: 'an unknown mode', mode: 'open', options: {} },
    { claim: "a mode's number", mode: '4', options: {} },
    { claim: 'a time without a mode', mode: undefined, options: { for: '2h' } },
    { claim: 'a time with auto', mode: 'auto', options: { for: '2h' } },
    { claim: 'a mode and --clear', mode: 'public', options: { clear: true } },
    { claim: 'a time without a unit', mode: 'public', options: { for: '2' } },
    { claim: 'no time at all', mode: 'public', options: { for: '0s' } },
    { claim: 'a moment without a mode', mode: undefined, options: { until: '18:00' } },
    { claim: 'a moment that no clock shows', mode: 'none', options: { until: '24:00' } },
    { claim: 'a moment without minutes', mode: 'none', options: { until: '18' } },
    { claim: 'a moment and a time', mode: 'none', options: { until: '18:00', for: '2h' } },
    { claim: 'a limit without a mode', mode: undefined, options: { limit: '10 Mbit' } },
    { claim: 'a limit with auto', mode: 'auto', options: { limit: '10 Mbit' } },
  ])('refuses $claim', async ({ mode, options }) => {
    await expect(readProvideBody(mode, options, noon)).rejects.toMatchObject({
      code: 'usage-invalid',
    });
  });

  test.each([
    ['pubic', 'unknown mode pubic; did you mean public?', undefined],
    [
      'open',
      'unknown mode open; the modes are default, none, network, friends, public, stream, auto',
      undefined,
    ],
    [
      'off',
      expect.stringMatching(/^unknown mode off; the modes are /),
      'To stop sharing: tributary pause',
    ],
  ])('says what the unknown mode %s may have meant', async (mode, message, action) => {
    await expect(readProvideBody(mode, {}, noon)).rejects.toMatchObject({
      code: 'usage-invalid',
      message,
      action,
    });
  });

  test.each([
    ['10', 'a rate with its unit, such as "20 Mbit" or "500 kbit" (per second)'],
    ['fast', 'a rate with its unit, such as "20 Mbit" or "500 kbit" (per second)'],
    ['0 Mbit', 'a rate from "64 kbit" to "100 Gbit"'],
    ['200 Gbit', 'a rate from "64 kbit" to "100 Gbit"'],
  ])('refuses the limit %s, and says what it may be', async (limit, allowed) => {
    const refusal = { code: 'usage-invalid', message: `--limit ${limit}: it must be ${allowed}` };
    await expect(readProvideBody('public', { limit }, noon)).rejects.toMatchObject(refusal);
  });
});

/** By the clock of this machine, on a day without a change of it. */
const noon = new Date(2026, 2, 14, 12, 0, 0);

test.each([
  ['18:00', 6 * 3600],
  ['12:01', 60],
  ['9:30', 21.5 * 3600],
  ['12:00', 24 * 3600],
])('a pause until %s at noon lasts %s seconds', async (until, forSeconds) => {
  expect(await readProvideBody('none', { until }, noon)).toEqual({ mode: 'none', forSeconds });
});

test('a limit may be given as the program prints one', async () => {
  const { limitBitsPerSecond } =
    (await readProvideBody('public', { limit: '20.0 Mbit/s' }, noon)) ?? {};
  expect(limitBitsPerSecond).toBe(20_000_000);
});

describe('tributary pause and resume', () => {
  test('share nothing for a while, and then as configured', async () => {
    await using agent = await startAgent();
    const paused = await runCommand(pause, agent.socketPath, ['pause', '--for', '2h']);
    expect(paused.stdout).toContain('Mode: none');
    await runCommand(pause, agent.socketPath, ['pause']);
    const resumed = await runCommand(resume, agent.socketPath, ['resume', '--json']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ override: null, effective: 'public' });
    expect(agent.state.commands).toEqual([
      ['none', 7200],
      ['none', undefined],
      ['cleared', undefined],
    ]);
  });
});

/** An agent that answers a reload like this, and reads this file. */
async function startReloading(
  answer: () => Promise<void>,
  configFile = '/etc/tributary/tributary.yaml',
) {
  const agent = await startAgent({ configFile });
  agent.state.reload = answer;
  return agent;
}
const refuse = (message: string) => () =>
  Promise.reject(new TributaryError('configuration-invalid', message));

describe('tributary reload', () => {
  test('says that the agent loaded the new configuration', async () => {
    let count = 0;
    await using agent = await startReloading(async () => {
      count += 1;
    });
    expect((await runCommand(reload, agent.socketPath, ['reload'])).stdout).toMatch(
      /loaded the new configuration/,
    );
    expect(count).toBe(1);
  });

  test('hands on why the agent did not', async () => {
    await using agent = await startReloading(refuse('changes to log need a restart of the agent'));
    await expect(runCommand(reload, agent.socketPath, ['reload'])).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining('changes to log'),
      action: expect.stringContaining('sudo systemctl restart tributary'),
    });
  });
});

describe('tributary config set', () => {
  const set = (path: string, socketPath: string, ...words: readonly string[]) =>
    runCommand(config, socketPath, ['--config', path, 'config', 'set', ...words]);

  test.each<[string, () => Promise<void>, string]>([
    ['uses it', async () => undefined, 'The running agent is using it.'],
    [
      'needs a restart, and by which command',
      refuse('changes to log need a restart of the agent'),
      'The agent did not apply it: changes to log need a restart of the agent. To restart it: sudo systemctl restart tributary',
    ],
  ])('says that the running agent %s', async (_, answer, message) => {
    const path = makeFile(withService());
    await using agent = await startReloading(answer, path);
    const { stdout } = await set(path, agent.socketPath, 'provide.mode', 'friends');
    expect(stdout).toBe(`provide.mode is now friends, in ${path}\n${message}\n`);
  });

  test('says that the running agent reads another file, which is a refusal', async () => {
    const path = makeFile(withService());
    let reloads = 0;
    await using agent = await startReloading(async () => {
      reloads += 1;
    });
    const message = `the running agent reads /etc/tributary/tributary.yaml, not ${path}`;
    const { stdout, exitCode } = await set(path, agent.socketPath, 'provide.mode', 'friends');
    expect(stdout).toContain(`\nThe agent did not apply it: ${message}\n`);
    expect(exitCode).toBe(64);
    const json = await set(path, agent.socketPath, 'provide.mode', 'none', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ effect: 'not-taken-over' });
    const reloading = runCommand(reload, agent.socketPath, ['--config', path, 'reload']);
    await expect(reloading).rejects.toMatchObject({ code: 'usage-invalid', message });
    expect(reloads, 'the other agent was touched').toBe(0);
    expect((await runCommand(reload, agent.socketPath, ['reload'])).exitCode).toBeUndefined();
  });

  test('knows its file by another path', async () => {
    const path = makeFile(withService());
    const link = join(makeDirectory(), 'link.yaml');
    symlinkSync(path, link);
    await using agent = await startReloading(async () => undefined, link);
    const { stdout } = await set(path, agent.socketPath, 'provide.mode', 'friends');
    expect(stdout).toContain('The running agent is using it.');
  });

  test('says nothing of an agent where none runs, and scripts are told so', async () => {
    const path = makeFile(withService());
    const { stdout } = await set(path, '/nowhere/tributary.sock', 'provide.mode', 'friends');
    expect(stdout).toBe(`provide.mode is now friends, in ${path}\n`);
    const json = await set(path, '/nowhere/tributary.sock', 'provide.mode', 'none', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      value: 'none',
      effect: 'no-agent',
      message: null,
    });
  });

  test('says what is wrong with the whole that came of it', async () => {
    const path = makeFile(withService('log: { level: loud }'));
    const { stdout } = await set(path, '/nowhere/tributary.sock', 'provide.mode', 'none');
    expect(stdout).toMatch(/^provide\.mode is now none, in .*\nthe configuration has a problem/);
    expect(stdout).toContain('level: found "loud"');
  });
});

test.each([
  ['EACCES', 'not-allowed', 'sudo it'],
  ['EPERM', 'not-allowed', 'sudo it'],
  ['ENOSPC', 'state-unwritable', undefined],
])('a file that cannot be written with %s is %s', (code, expected, action) => {
  const cause = Object.assign(new Error('open'), { code });
  const error = new TributaryError('state-unwritable', 'writing the file: open', { cause });
  expect(askForRights(error, 'sudo it')).toMatchObject({
    code: expected,
    message: error.message,
    action,
  });
});

test('a command to type again has its paths, and each word as a shell takes it', () => {
  const words = ['config', 'set', 'gateway.blocked_ports', '[25, 26]'];
  const line = "tributary config set gateway.blocked_ports '[25, 26]'";
  expect(renderCommand(words, {})).toBe(line);
  expect(renderCommand(words, { config: 'a.yaml', stateDir: '/srv/$b' })).toBe(
    `${line} --config a.yaml --state-dir '/srv/$b'`,
  );
  expect(renderCommand(['x', ''], {})).toBe("tributary x ''");
});

/** A system with these files, on which programs only are noted. */
function createTaskHost(...files: readonly string[]) {
  const ran: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    ran.push([program, ...args].join(' '));
  };
  const host = {
    isThere: async (path: string) => files.includes(path),
    exec: async ({ program, args }: { program: string; args: readonly string[] }) => {
      await run(program, args);
      return '';
    },
    runAttached: async (program: string, args: readonly string[]) => {
      await run(program, args);
      return 0;
    },
  };
  const start = (task: Parameters<typeof defineSystemCommand>[0], ...words: readonly string[]) =>
    runCommand(
      defineSystemCommand(task, async () => host),
      '/unused',
      [...words, task],
    );
  return { ran, start };
}

describe.each([
  ['logs', 'journalctl --unit tributary --follow', ''],
  ['start', 'systemctl start tributary', 'The agent is started.\n'],
  ['stop', 'systemctl stop tributary', 'The agent is stopped.\n'],
  ['restart', 'systemctl restart tributary', 'The agent is restarted.\n'],
] as const)('tributary %s', (task, command, said) => {
  const systemd = '/run/systemd/system';

  test('does it by systemd', async () => {
    const { ran, start } = createTaskHost(systemd);
    expect((await start(task)).stdout).toBe(said);
    expect((await start(task, '--state-dir', '/var/lib/tributary')).stdout).toBe(said);
    expect(ran).toEqual([command, command]);
  });

  test.each([
    [
      'in a container',
      ['/.dockerenv', systemd],
      [],
      /this is a container/,
      /^On the host: docker /,
    ],
    [
      'in a container of podman',
      ['/run/.containerenv'],
      [],
      /this is a container/,
      /^On the host: /,
    ],
    ['without systemd', [], [], /there is no systemd here/, /ps -ef/],
    [
      'for the agent of another state directory',
      [systemd],
      ['--state-dir', '/srv/b'],
      /the agent of \/srv\/b is not the service of this system/,
      undefined,
    ],
  ] as const)('does nothing %s, and says so', async (_, files, words, message, action) => {
    const { ran, start } = createTaskHost(...files);
    const error = await start(task, ...words).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'usage-invalid', message: expect.stringMatching(message) });
    expect(error).toMatchObject({ message: expect.stringMatching(/^nothing was /) });
    if (action !== undefined)
      expect(error).toMatchObject({ action: expect.stringMatching(action) });
    expect(ran).toEqual([]);
  });
});

test('where systemd asks for a password, the command asks for root', async () => {
  const refusing = defineSystemCommand('stop', async () => ({
    isThere: async (path) => path === '/run/systemd/system',
    exec: () =>
      Promise.reject(
        new TributaryError('command-failed', 'systemctl exited with 1: Access denied'),
      ),
    runAttached: async () => 0,
  }));
  await expect(runCommand(refusing, '/unused', ['stop'])).rejects.toMatchObject({
    code: 'not-allowed',
  });
});
