import type { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listCommands } from '../../../src/cli/frame/add-command.ts';
import { readCommandLine } from '../../../tools/docs/program-help.ts';
import { sendJson, sendText, startNastyService } from '../nasty-service.ts';
import { createOwner, goldenNow } from './command-world.ts';
import { fillAnswers } from './filled-answers.ts';
import { listServiceLines } from './service-lines.ts';

/** Of each kind that moves a cursor, turns the writing, cannot be seen, or breaks a line. */
const nasty =
  'a\u0000\u0007\b\u001b[2J\u007f\u0085\u009b2J\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202e\u2066\ufeff\u{e0041}\ud800b';
const raw = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const answers = fillAnswers({ text: nasty, number: 1 });

const lines = listServiceLines(nasty);

/** What else these commands read where they are typed in another way. */
const otherLines: readonly (readonly [string, readonly string[]])[] = [
  ['stats', ['--client', nasty]],
  ['stats', ['--client', nasty, '--last', '90d']],
  ['stats', ['--last', '48h']],
  ['service locations', []],
  ['service providers', ['x']],
  ['service providers', ['x', '--ids']],
  ['account wallets', ['--columns', 'wallet']],
];

const kinds = {
  'in every field': (request: `${string} ${string}`) => sendJson(answers.get(request) ?? {}),
  'in a refusal': () => sendJson({ error: { message: nasty } }),
  'as its answer': () => sendText(nasty, 400),
  'in its failure': () => sendText(nasty, 500),
  'in lists without end': () => sendText(`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 200),
} as const;

type Kind = keyof typeof kinds;

async function runWith(kind: Kind, line: readonly string[], columns: number | undefined) {
  const service = await startNastyService((request, response) => {
    kinds[kind](`${request.method} ${request.path}`)(request, response);
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const owner = await createOwner(service.baseUrl, 'documented', 'a.token.here', {
    nowMs: goldenNow,
  });
  return {
    ...(await owner.run(line, { columns, standardInput: 'in the dark' })),
    asked: service.seen.length,
  };
}

const rows = [...Object.entries(lines), ...otherLines].flatMap(([name, words]) =>
  (Object.keys(kinds) as Kind[]).map((kind) => [name, kind, words] as const),
);

describe('a command shows no sign that cannot be seen', () => {
  test.each(rows)('%s, with a service that sends them %s (%j)', async (name, kind, words) => {
    for (const columns of [undefined, 80]) {
      const { stdout, stderr, asked } = await runWith(
        kind,
        [...name.split(' '), ...words],
        columns,
      );
      expect(asked, stderr).toBeGreaterThan(0);
      expectPlain(stdout + stderr);
      expect(stdout + stderr).not.toContain('Maximum call stack');
    }
    const { stdout, stderr } = await runWith(
      kind,
      [...name.split(' '), ...words, '--json'],
      undefined,
    );
    expectPlain(stdout + stderr);
    // Before they fail, `setup` says which service it found, and `device pair` shows its code.
    const tells = ['setup', 'device pair'].includes(name);
    const json = stdout || (tells ? stderr.slice(stderr.search(/^\{/m)) : stderr);
    expect(() => JSON.parse(json)).not.toThrow();
  });
});

function expectPlain(text: string): void {
  expect(JSON.stringify(text.replaceAll('\n', ' ').match(raw)), text).toBe('null');
}

/** They ask the agent, or this machine. */
const local =
  /^(run|demo|plan|log(in|out|s)|status|health|provide|pause|resume|reload|(re)?start|stop|doctor|cleanup|completion|config|namespace|sandbox|auth status|device (keep|new))\b/;

test('every command that asks the service is tried', async () => {
  const names = listNames(await readCommandLine(), '').filter((name) => !local.test(name));
  expect(names.toSorted()).toEqual(Object.keys(lines).toSorted());
});

function listNames(command: Command, before: string): readonly string[] {
  return listCommands(command).flatMap((own) => {
    const name = `${before}${own.name()}`;
    return listCommands(own).length === 0 ? [name] : listNames(own, `${name} `);
  });
}
