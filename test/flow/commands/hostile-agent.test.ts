import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildStatusDocument, statusDocument } from '../../../src/status/document.ts';
import { versionHeader } from '../../../src/status/source.ts';
import { version } from '../../../src/version.ts';
import { ago, now, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { makeDirectory } from '../reference-caller.ts';
import { goldenNow, runAs } from './command-world.ts';

// An attacker who took the agent over answers on its socket. None of his words may move the cursor
// of the person who asks, hide a part of the terminal, or begin a line that looks like the shell's.
const forged = 'root@host:~# everything is well';
const nasty = `a\u0000\u0007\b\u001b[2J\u001b]0;title\u0007\u007f\u0085\u009b2J\u061c\u200e\u2028\u202e\u2066\ufeff\r\n${forged}\n`;
const raw = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Every command that asks the running agent, as it is typed. */
const lines = [
  'status',
  'health',
  'provide',
  'provide friends',
  'pause --for 2h',
  'resume',
  'reload',
  'config set log.level debug',
  'stats --local',
  'doctor',
] as const;

/** A copy in which every text for which `isFree` holds is the nasty one. */
function spoil(value: unknown, isFree: (path: readonly string[]) => boolean): unknown {
  const walk = (inner: unknown, path: readonly string[]): unknown => {
    if (typeof inner === 'string') return isFree(path) ? nasty : inner;
    if (typeof inner !== 'object' || inner === null) return inner;
    const entries = Object.entries(inner).map(
      ([name, part]) => [name, walk(part, [...path, name])] as const,
    );
    return Array.isArray(inner) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
  };
  return walk(value, []);
}

const honest: unknown = JSON.parse(
  JSON.stringify(
    buildStatusDocument(
      {
        ...providingFacts,
        configurationProblem: { code: 'configuration-invalid', message: 'a line', since: ago(60) },
        registrationProblem: { code: 'service-failed', message: 'a sentence', since: ago(60) },
      },
      now,
    ),
  ),
);
/** Whether the document may have any text at this place. */
const isFree = (path: readonly string[]) =>
  statusDocument.safeParse(spoil(honest, (own) => own.join('/') === path.join('/'))).success;

const worded = JSON.stringify(spoil(honest, isFree));
const answerAll = JSON.stringify({
  healthy: false,
  message: nasty,
  file: nasty,
  rows: [],
  ...Object(JSON.parse(worded)),
});
const refuse = (code: string) => JSON.stringify({ error: { code, message: nasty } });
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

const kinds: Readonly<Record<string, RequestListener>> = {
  'in every free text of its answer': ({ url }, response) => {
    response.end(url === '/provide' ? JSON.stringify(JSON.parse(answerAll).provide) : answerAll);
  },
  'in every text, as an agent of the same version': (_, response) => {
    response.setHeader(versionHeader, version).end(JSON.stringify(spoil(honest, () => true)));
  },
  'in a refusal': (_, response) => response.writeHead(500).end(refuse('command-failed')),
  'in errors of a configuration': (_, response) =>
    response.writeHead(400).end(refuse('configuration-invalid')),
  'as its answer': (_, response) => response.end(nasty),
  'in lists without end': (_, response) => response.end(deep),
};

/** The hostile agent of a state directory, and a configuration whose service never answers. */
async function openHostileAgent(listener: RequestListener) {
  const directory = makeDirectory();
  const stateDirectory = join(directory, 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  const file = join(directory, 'tributary.yaml');
  writeFileSync(file, 'service:\n  base_url: http://127.0.0.1:1\n');
  const socketPath = join(stateDirectory, 'tributary.sock');
  const server = createServer(listener).listen(socketPath);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const named = ['--config', file, '--state-dir', stateDirectory];
  const nobody = { nowMs: goldenNow };
  return {
    run: (line: string, ...options: readonly string[]) =>
      runAs([...line.split(' '), ...options, ...named], nobody, { socketPath }),
    /** Runs the program itself, as a process. */
    async spawn(line: string) {
      const args = ['src/tributary.ts', ...line.split(' '), ...named];
      const env = { PATH: process.env.PATH ?? '', XDG_RUNTIME_DIR: directory };
      const child = spawn(process.execPath, args, { env });
      child.stdin.end();
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      return { stdout, stderr };
    },
  };
}

function expectHarmless({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) {
  const shown = stdout + stderr;
  expect(shown).not.toBe('');
  expect(shown.replaceAll('\n', '').match(raw), shown).toBeNull();
  expect(shown.split('\n').filter((found) => found.startsWith('root@'))).toEqual([]);
  expect(shown).not.toContain('Maximum call stack');
}

const rows = lines.flatMap((line) => Object.keys(kinds).map((kind) => [line, kind] as const));

describe('no word of an agent acts in the terminal of the person who asks it', () => {
  test.each(rows)('tributary %s, nasty %s', async (line, kind) => {
    const { run } = await openHostileAgent(kinds[kind] ?? expect.fail());
    expectHarmless(await run(line));
  });

  test('the program itself shows what it writes, and obeys none of it', async () => {
    const hostile = await openHostileAgent((_, response) => response.end(answerAll));
    expectHarmless(await hostile.spawn('health'));
  });

  test.each(['status', 'health', 'provide', 'reload', 'stats --local'])(
    'tributary %s --json stays one object that no terminal obeys',
    async (line) => {
      for (const listener of Object.values(kinds)) {
        const { run } = await openHostileAgent(listener);
        const { stdout, stderr } = await run(line, '--json');
        expect((stdout + stderr).replaceAll('\n', '').match(raw)).toBeNull();
        expect(() => JSON.parse(stdout || stderr)).not.toThrow();
      }
    },
  );

  test('the texts that an agent is free to choose are among those that were tried', () => {
    expect(worded.split(forged).length).toBeGreaterThan(8);
  });
});
