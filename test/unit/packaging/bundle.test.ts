import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messageOf } from '../../../src/lib/errors.ts';
import { exec } from '../../../src/system/exec.ts';
import { version } from '../../../src/version.ts';
import { type Bundle, buildBundle } from '../../../tools/packaging/bundle.ts';
import { createStatusFixture } from '../status/status-fixture.ts';

const project = join(import.meta.dirname, '../../..');

/*
 * `dist` keeps the chunks of earlier builds, for agents that run from there. What is handed out has
 * none of them.
 */
// What is loaded before anything can be taken from compiled code, and what is a process of its own.
const early =
  /^(tributary\.cjs|compile\.cjs|engine\.cjs|demo\.cjs|worker\.cjs|(rolldown-runtime|compiled-code)-.*)$/;

describe('the bundle of the packages and the image', () => {
  let root: string;
  let bundle: Bundle;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tributary-bundle-'));
    for (const name of [
      'src',
      'tools',
      'node_modules',
      'package.json',
      'rolldown.config.ts',
      'tsconfig.json',
    ]) {
      await symlink(join(project, name), join(root, name));
    }
    await mkdir(join(root, 'dist'));
    await writeFile(join(root, 'dist/agent-earlier.cjs'), 'earlier();\n');
    bundle = await buildBundle(root, '1.2.3');
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  test('is made of the source alone, and leaves what was built before where it is', async () => {
    expect(bundle.files.filter(({ text }) => text.includes('earlier();'))).toEqual([]);
    expect(await readdir(join(root, 'dist'))).toEqual(['agent-earlier.cjs']);
  });

  test('is whole, and has no file that nothing loads', () => {
    // The package starts it itself.
    const files = bundle.files.filter(({ name }) => name !== 'compile.cjs');
    const texts = new Map(files.map(({ name, text }) => [name, text]));
    // The agent starts the engine as a process of its own, and `tributary demo` the last two.
    const loaded = new Set(['tributary.cjs', 'engine.cjs', 'demo.cjs', 'worker.cjs']);
    // A set hands out what is added to it meanwhile.
    for (const name of loaded) {
      for (const [, other = ''] of (texts.get(name) ?? '').matchAll(
        /require\([`'"]\.\/([^`'"]+)[`'"]\)/g,
      ))
        loaded.add(other);
    }
    expect([...loaded].sort()).toEqual([...texts.keys()].sort());
    expect(texts.size).toBeGreaterThan(10);
  });

  test('has the engine in one file that loads nothing but what Node brings', () => {
    const engine = bundle.files.find(({ name }) => name === 'engine.cjs')?.text ?? '';
    const asked = [...engine.matchAll(/\brequire\([`'"]([^`'"]+)[`'"]\)/g)].map(([, name]) => name);
    expect(asked).toContain('node:tls');
    expect(asked.filter((name = '') => !isBuiltin(name))).toEqual([]);
    // Messages are not compressed.
    expect(asked).not.toContain('zlib');
    // It starts no program, and Node would not let it.
    expect(asked).not.toContain('node:child_process');
    expect(bundle.packages).toContain('ws');
    // The client of WebSockets without their server, and the part of zod that reads messages,
    // without what describes them in words.
    expect(engine.length).toBeLessThan(260_000);
  });

  test('has of the client for HTTP what the agent uses, with its parser once', () => {
    const [client, ...others] = bundle.files.filter(({ text }) => text.includes('llhttp_execute'));
    expect(others).toEqual([]);
    // A parser begins so, as text: version 1 of WebAssembly.
    expect(client?.text.match(/AGFzbQE/g)).toHaveLength(1);
    // All of it is in memory as long as the agent runs.
    expect(client?.text.length).toBeLessThan(230_000);
  });

  test('loads nothing but itself and what Node brings, wherever it is started', () => {
    const asked = bundle.files.flatMap(({ text }) =>
      [...text.matchAll(/\b(?:require|import)\([`'"]([^`'"]+)[`'"]\)/g)].map(
        ([, name = '']) => name,
      ),
    );
    expect(asked).toContain('node:net');
    expect(
      [...new Set(asked)].filter((name) => !name.startsWith('./') && !isBuiltin(name)),
    ).toEqual([]);
  });

  test('asks a running agent with two chunks of our own, and without cryptography', async () => {
    const program = join(root, 'program');
    await mkdir(program);
    for (const { name, text } of bundle.files) await writeFile(join(program, name), text);
    // Notes what is loaded: chunks, and Node's own modules.
    const noting = `const Module = require('node:module'), load = Module._load, names = new Set();
      Module._load = function (name, ...rest) { names.add(name); return load.call(this, name, ...rest); };
      process.on('exit', () => require('node:fs').writeFileSync('${root}/loaded', [...names].join('\\n')));`;
    await writeFile(join(root, 'note.cjs'), noting);
    await using agent = await createStatusFixture('no-page', { stateDirectory: root });
    await writeFile(join(root, 'tributary.yaml'), `status:\n  socket: ${agent.socketPath}\n`);
    agent.state.facts = { ...agent.state.facts, version };
    // Two writes within one tick of the kernel's clock have the same time.
    await sleep(30);
    await agent.start();
    const paths = ['--config', join(root, 'tributary.yaml'), '--state-dir', root];
    const readLoaded = async () => (await readFile(join(root, 'loaded'), 'utf8')).split('\n');
    for (const command of ['status', 'health']) {
      const args = [
        '--require',
        join(root, 'note.cjs'),
        join(program, 'tributary.cjs'),
        command,
        ...paths,
      ];
      expect(await exec({ program: process.execPath, args, doing: command })).toContain(
        'providing',
      );
      const loaded = await readLoaded();
      const chunks = loaded
        .filter((name) => name.startsWith('./'))
        .map((name) => /^\.\/(.+)-.{8}\.cjs$/.exec(name)?.[1]);
      expect(chunks.sort()).toEqual(['ask', 'lib', 'rolldown-runtime']);
      expect(loaded).toContain('node:net');
      expect(loaded.filter((name) => /^node:(crypto|https?)$/.test(name))).toEqual([]);
    }
    // The version is a text of the first file: the package's own.
    const asked = ['--require', join(root, 'note.cjs'), join(program, 'tributary.cjs')];
    const said = await exec({
      program: process.execPath,
      args: [...asked, '--version'],
      doing: 'asking the version',
    });
    expect(said).toBe('1.2.3\n');
    const needed = (await readLoaded()).filter((name) => name.startsWith('./'));
    expect(needed.filter((name) => !name.startsWith('./rolldown-runtime-'))).toEqual([]);
    // The agent, which refuses this configuration.
    const args = [
      '--require',
      join(root, 'note.cjs'),
      join(program, 'tributary.cjs'),
      'run',
      ...paths,
    ];
    const started = exec({ program: process.execPath, args, doing: 'run' });
    await expect(started).rejects.toThrow('service.base_url: missing');
    const loaded = await readLoaded();
    expect(loaded.filter((name) => /^\.\/(zod|yaml-text)-/.test(name))).toHaveLength(2);
    expect(
      loaded.filter((name) => /^\.\/(commander|program|run-agent|node-cron)-/.test(name)),
    ).toEqual([]);
  });

  test('is compiled where it is installed, file by file, and starts then as before', async () => {
    const program = join(root, 'compiled');
    await mkdir(program);
    for (const { name, text } of bundle.files) await writeFile(join(program, name), text);
    const run = (...args: readonly string[]) =>
      exec({
        program: process.execPath,
        args,
        doing: 'run',
        env: { TRIBUTARY_CONFIG: join(root, 'none.yaml') },
      });
    const start = () => run(join(program, 'tributary.cjs'), 'run').catch(messageOf);
    const before = await start();
    await run(join(program, 'compile.cjs'));
    const late = bundle.files.map(({ name }) => name).filter((name) => !early.test(name));
    const compiled = (await readdir(program)).filter((name) => name.endsWith('.compiled'));
    expect(compiled).toEqual(late.map((name) => `${name}.compiled`).sort());
    expect(await start()).toBe(before);
  });
});
