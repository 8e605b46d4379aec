import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Dialect, dialects, findAnswer, isWholeJson } from '../../../src/system/dialects.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { createTalkingExec } from '../../../src/system/talking-exec.ts';

/**
 * A program of a shell's lines that reads `line` and then `marker`, and says `no MARKER` at an
 * answer's end.
 */
async function talkTo(body: string, deadlineMs = 5_000) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-talk-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const script = `told=${directory}/told; echo start >>${directory}/starts; while read -r line && read -r marker; do
    end() { echo "no $marker" >&2; }
    ${body}
  done`;
  const dialect: Dialect = {
    argv: ['sh', '-c', script],
    endOf: (marker) => new RegExp(`no ${marker}\\n`),
    refusal: /^Error: /m,
    test: 'ask',
    idleMs: 20_000,
  };
  const alone: string[] = [];
  const run: Exec = async ({ args }) => {
    alone.push(args.join(' '));
    return 'alone';
  };
  const talking = createTalkingExec(
    run,
    { ip: dialect, 'ip -6': dialect, nft: dialect, tc: { ...dialect, isPlain: true } },
    deadlineMs,
  );
  onTestFinished(talking.close);
  const tell = (lines: readonly string[], isChange = false) =>
    talking.exec({
      program: 'fake',
      args: lines,
      doing: 'trying',
      talk: { to: 'ip', lines, isChange },
    });
  return {
    talking,
    alone,
    ask: (line: string) => tell([line]),
    change: (...lines: string[]) => tell(lines, true),
    countStarts: async () => (await readFile(`${directory}/starts`, 'utf8')).split('\n').length - 1,
    readTold: () => readFile(`${directory}/told`, 'utf8').catch(() => ''),
  };
}

describe('a kept program', () => {
  test('may be ended by a command beside it in the moment in which it answers', async () => {
    const link = () => talking.exec({ program: 'ip', args: ['link', 'add', 'x'], doing: 'trying' });
    const script =
      'while read -r line; do case "$line" in marker*) echo "no $line" >&2 ;; *) echo "[]" ;; esac; done';
    const links: Promise<string>[] = [];
    let asked = 0;
    const dialect: Dialect = {
      argv: ['sh', '-c', script],
      endOf: (marker) => {
        asked += 1;
        if (asked % 2 === 0) queueMicrotask(() => links.push(link()));
        return new RegExp(`no ${marker}\\n`);
      },
      refusal: /^Error: /m,
      test: 'ask',
      idleMs: 20_000,
    };
    const all = { ip: dialect, 'ip -6': dialect, nft: dialect, tc: dialect };
    const talking = createTalkingExec(async () => 'alone', all, 5_000);
    onTestFinished(talking.close);
    for (let round = 0; round < 5; round += 1) {
      const said = await talking.exec({
        program: 'x',
        args: [],
        doing: 'trying',
        talk: { to: 'ip', lines: ['ask'] },
      });
      expect(['[]\n', 'alone']).toContain(said);
    }
    await Promise.all(links);
    expect(asked).toBeGreaterThan(1);
  });

  test('answers many questions at once, each with its own answer', async () => {
    const { ask, alone, countStarts } = await talkTo('echo "[\\"$line\\"]"; end');
    const lines = ['one', 'two', 'three', 'four'];
    expect(await Promise.all(lines.map(ask))).toEqual(lines.map((line) => `["${line}"]\n`));
    expect([alone, await countStarts()]).toEqual([[], 1]);
  });

  test('is understood whole, however its answer is cut and whichever stream comes first', async () => {
    const { ask, alone } = await talkTo(
      'printf "[1,"; sleep 0.02; printf "2]\\n"; printf "no " >&2; sleep 0.02; echo "$marker" >&2; echo',
    );
    // A piece that comes late must not be taken for the next answer's.
    for (let index = 0; index < 5; index += 1) expect((await ask('x')).trim()).toBe('[1,2]');
    expect(alone).toEqual([]);
  });

  test('may warn, and says why where it refuses', async () => {
    const { ask, alone } = await talkTo(
      'case $line in bad) echo "Error: no such thing" >&2;; *) echo "Warning: odd" >&2; echo "[]";; esac; end',
    );
    expect(await ask('good')).toBe('[]\n');
    await expect(ask('bad')).rejects.toMatchObject({
      code: 'command-failed',
      message: 'trying: fake refused: Error: no such thing',
    });
    expect(alone).toEqual([]);
  });

  test.each([
    ['ends in the middle', 'echo "[1"; exit 1'],
    ['is killed', 'kill -9 $$'],
    ['hangs', 'echo "[]"; sleep 60'],
    ['is stopped', 'kill -STOP $$'],
    ['never ends its answer', 'echo "[]"; echo "other marker" >&2'],
    ['says nothing', 'end'],
    ['says something else', 'echo hello; end'],
    ['has its answer cut', 'echo "[{"; end'],
    ['says far too much', 'yes "[]" | head -c 20000000; sleep 60'],
    ['is not there', 'exit 127'],
  ])('that %s is left alone: the program that was named is run', async (_, body) => {
    const { ask, alone, countStarts } = await talkTo(body, 400);
    expect(await ask('x')).toBe('alone');
    expect(await ask('y')).toBe('alone');
    // It is tried once more, and then rests.
    expect(await ask('z')).toBe('alone');
    expect([alone, await countStarts()]).toEqual([['x', 'y', 'z'], 2]);
  });

  test('that ended since the last question is started again, and asked before it is told a change', async () => {
    const { ask, change, countStarts, readTold } = await talkTo(
      'echo "$line" >>"$told"; case $line in last) echo "[]"; end; exit 0;; add*) end;; *) echo "[]"; end;; esac',
    );
    expect(await ask('last')).toBe('[]\n');
    await expect.poll(async () => [await change('add'), await countStarts()]).toEqual(['', 2]);
    expect(await readTold()).toMatch(/^last\nask\nadd\n/);
  });

  test('whose test question fails is told no change', async () => {
    const { change, readTold } = await talkTo('echo "$line" >>"$told"; echo hello; end');
    expect(await change('add')).toBe('alone');
    expect(await readTold()).toBe('ask\n');
  });

  test('of ip is ended by commands that may give interfaces other numbers', async () => {
    const { ask, talking, countStarts } = await talkTo('echo "[]"; end');
    await ask('x');
    await talking.exec({ program: 'wireguard-go', args: ['x'], doing: 'trying' });
    await ask('x');
    expect(await countStarts()).toBe(2);
  });

  test('is told changes up to the first that it refuses', async () => {
    const { ask, change, readTold } = await talkTo(
      'echo "$line" >>"$told"; case $line in ask) echo "[]";; bad) echo "Error: no" >&2;; esac; end',
    );
    await ask('ask');
    await expect(change('one', 'bad', 'two')).rejects.toMatchObject({ code: 'command-failed' });
    expect(await readTold()).toBe('ask\none\nbad\n');
  });

  test('is replaced after some hundred lines', async () => {
    const { ask, countStarts } = await talkTo('echo "[]"; end');
    for (let index = 0; index < 301; index += 1) await ask('x');
    expect(await countStarts()).toBe(2);
  });

  test('ends when it is not asked for a while, and starts again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { ask, countStarts } = await talkTo('echo "[]"; end');
    await ask('x');
    vi.advanceTimersByTime(19_000);
    await ask('x');
    vi.advanceTimersByTime(19_000);
    await ask('x');
    expect(await countStarts()).toBe(1);
    vi.advanceTimersByTime(21_000);
    await ask('x');
    expect(await countStarts()).toBe(2);
  });

  test('is not asked any more when the conversation is over', async () => {
    const { ask, talking } = await talkTo('echo "[]"; end');
    expect(await ask('x')).toBe('[]\n');
    talking.close();
    expect(await ask('x')).toBe('alone');
  });
});

test('a command without lines is run as it is', async () => {
  const { talking } = await talkTo('end');
  expect(await talking.exec({ program: 'fake', args: [], doing: 'trying' })).toBe('alone');
});

test.each([
  ['ip', 'Object "m1" is unknown, try "ip help".\nCommand failed -:2\n', {}],
  [
    'ip',
    'RTNETLINK answers: File exists\nCommand failed -:1\nObject "m1" is unknown, try "ip help".\nCommand failed -:2\n',
    { refusal: 'RTNETLINK answers: File exists Command failed -:1' },
  ],
  ['ip', 'Object "m1" is unknown, try "ip help".\n', undefined],
  ['ip', 'Object "m11" is unknown, try "ip help".\nCommand failed -:2\n', undefined],
  ['nft', 'Error: syntax error, unexpected newline, expecting string\nm1\n  ^\n', {}],
  ['nft', 'Warning: odd\nError: syntax error, unexpected newline\nm1\n  ^\n', {}],
  [
    'nft',
    'Error: No such file or directory\nlist x\n  ^^\nError: syntax error\nm1\n  ^\n',
    { refusal: 'Error: No such file or directory list x ^^' },
  ],
  ['nft', 'Error: syntax error, unexpected newline\n', undefined],
] as const)('%s: the end of an answer is found in %j', (to, err, found) => {
  const answer = findAnswer({ out: '[]\n', err }, 'm1', dialects[to]);
  expect(answer).toEqual(found && { text: '[]\n', ...found });
});

test.each([
  ['[]\n', true],
  [' {"a":[1]} \n', true],
  ['', false],
  ['[{"a":1', false],
  ['Error []', false],
])('%j is whole JSON: %s', (text, isWhole) => {
  expect(isWholeJson(text)).toBe(isWhole);
});
