import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStatusServer } from '../../../src/status/server.ts';
import { providingFacts } from '../../../tools/docs/sample-facts.ts';
import { makeSource } from '../../../tools/docs/sample-source.ts';
import { makeDirectory, start as startService } from '../reference-caller.ts';

/** What answers on a socket as the agent of this state directory, and what it was asked for. */
async function startAgent(
  stateDirectory: string,
  socketPath: string,
  configFile = '/etc/other.yaml',
): Promise<readonly string[]> {
  const asked: string[] = [];
  const note = (what: string) => async () => void asked.push(what);
  const control = {
    setOverride: note('mode'),
    clearOverride: note('mode'),
    reload: note('reload'),
    selfTest: note('self-test'),
    settings: async () => [],
    changeSetting: note('settings'),
  };
  const history = () => {
    asked.push('history');
    return [];
  };
  const now = () => new Date();
  const source = {
    ...makeSource(providingFacts),
    now,
    stateDirectory,
    configFile,
    refresh: note('status'),
    control,
    history,
  };
  const onPageProblem = () => undefined;
  const server = createStatusServer({
    source,
    listen: undefined,
    socketPath,
    ownNames: () => [],
    onPageProblem,
  });
  await server.keepOpen();
  onTestFinished(server.close);
  return asked;
}

/**
 * A machine whose usual socket is another agent's: its own one has a state directory and a
 * configuration.
 */
async function openMachine({
  isRunning,
  otherIsUsual = false,
}: {
  isRunning: boolean;
  otherIsUsual?: boolean;
}) {
  const directory = makeDirectory();
  const [state, otherState, session] = ['state', 'other state', 'session'].map((name) =>
    join(directory, name),
  );
  for (const folder of [state, otherState, session]) mkdirSync(folder ?? '', { mode: 0o700 });
  const service = await startService({ directory: join(directory, 'service') });
  const file = join(directory, 'tributary.yaml');
  writeFileSync(file, `service:\n  base_url: ${service.baseUrl}\n`);
  const usual = join(session ?? '', 'tributary/tributary.sock');
  const other = await startAgent(otherIsUsual ? '/var/lib/tributary' : (otherState ?? ''), usual);
  const own = isRunning
    ? await startAgent(state ?? '', join(state ?? '', 'tributary.sock'), file)
    : [];
  const run = async (argv: readonly string[], environment: Record<string, string> = {}) => {
    const env = { PATH: process.env.PATH ?? '', XDG_RUNTIME_DIR: session ?? '', ...environment };
    const child = spawn(process.execPath, ['src/tributary.ts', ...argv], { env });
    child.stdin.end(service.authCode);
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return { exitCode: child.exitCode, stdout, stderr };
  };
  return { state: state ?? '', otherState: otherState ?? '', file, own, other, run };
}

const commands: readonly (readonly [line: string, asked: string, alone: number])[] = [
  ['status', 'status', 69],
  ['status --json', 'status', 69],
  ['provide', 'status', 69],
  ['provide none', 'mode', 69],
  ['provide auto', 'mode', 69],
  ['stats --local', 'history', 0],
  ['login --code-file -', 'reload', 0],
];

describe('of two agents on one machine', () => {
  test.each(commands)(
    'tributary %s asks the one whose state directory is named',
    async (line, asked) => {
      const { state, otherState, file, own, other, run } = await openMachine({ isRunning: true });
      const named = ['--config', file, '--state-dir', state];
      expect(await run([...line.split(' '), ...named])).toMatchObject({ exitCode: 0 });
      expect([own, other]).toEqual([[asked], []]);
      const environment = { TRIBUTARY_CONFIG: file, TRIBUTARY_STATE_DIR: otherState };
      if (line.startsWith('login')) return;
      expect(await run(line.split(' '), environment)).toMatchObject({ exitCode: 0 });
      expect([own, other]).toEqual([[asked], [asked]]);
    },
  );

  test.each(commands)(
    'tributary %s leaves the other one alone where its own does not run',
    async (line, _asked, alone) => {
      const { state, otherState, file, other, run } = await openMachine({ isRunning: false });
      const { exitCode, stderr } = await run([
        ...line.split(' '),
        '--config',
        file,
        '--state-dir',
        state,
      ]);
      expect([exitCode, other]).toEqual([alone, []]);
      if (alone !== 0)
        expect(stderr).toContain(`tributary.sock the agent of ${otherState} answers`);
    },
  );

  const broken =
    'service:\n  base_url: https://service.example\nprovide: { cap: { reset_day: 31 } }\n';

  test.each([
    ['status', ['status']],
    ['provide none', ['mode']],
    ['reload', ['reload']],
    ['health', []],
  ])('tributary %s reaches one whose file is broken by now', async (line, asked) => {
    const { state, file, own, other, run } = await openMachine({ isRunning: true });
    writeFileSync(file, broken);
    const ended = await run([...line.split(' '), '--config', file, '--state-dir', state]);
    expect([ended.exitCode, own, other]).toEqual([0, asked, []]);
  });

  test.each([
    ['status', 78],
    ['provide none', 78],
    ['reload', 78],
    ['health', 1],
  ])('tributary %s says what is broken where none runs', async (line, code) => {
    const { state, file, other, run } = await openMachine({ isRunning: false });
    writeFileSync(file, broken);
    const ended = await run([...line.split(' '), '--config', file, '--state-dir', state]);
    expect([ended.exitCode, ended.stdout + ended.stderr, other]).toEqual([
      code,
      expect.stringContaining('cap.bytes'),
      [],
    ]);
  });

  test.each(['service: [', undefined])(
    'a file that cannot be read and names no state directory means nobody: %s',
    async (text) => {
      const { file, other, run } = await openMachine({ isRunning: false, otherIsUsual: true });
      if (text !== undefined) writeFileSync(file, text);
      const named = text === undefined ? `${file}.typo` : file;
      expect(await run(['provide', 'none', '--config', named])).toMatchObject({ exitCode: 78 });
      expect(other).toEqual([]);
    },
  );

  test.each(['reload', 'config set provide.mode none'])(
    'tributary %s refuses where the one that answers reads another file',
    async (line) => {
      const { file, run } = await openMachine({ isRunning: false, otherIsUsual: true });
      const { exitCode, stdout, stderr } = await run([...line.split(' '), '--config', file]);
      const said = `the running agent reads /etc/other.yaml, not ${file}`;
      expect([exitCode, stdout + stderr]).toEqual([64, expect.stringContaining(said)]);
    },
  );

  test('a configuration alone means the agent of the usual state directory', async () => {
    const { file, other, run } = await openMachine({ isRunning: false });
    expect(await run(['provide', 'none', '--config', file])).toMatchObject({ exitCode: 69 });
    expect(other).toEqual([]);
  });

  test('health says that its own does not run', async () => {
    const { state, file, run } = await openMachine({ isRunning: false });
    const { exitCode, stdout } = await run(['health', '--config', file, '--state-dir', state]);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining('unhealthy: asking the agent of '),
    ]);
  });

  test('nothing named means the agent on the usual socket', async () => {
    const { file, other, own, run } = await openMachine({ isRunning: true });
    const socketOnly = { TRIBUTARY_SERVICE_BASE_URL: 'https://service.example' };
    expect(await run(['status'], socketOnly)).toMatchObject({ exitCode: 0 });
    expect([own, other, file]).toEqual([[], ['status'], file]);
  });
});
