import { describe, expect, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { createLogger, type LogSettings } from '../../../src/report/logger.ts';
import { createStateLogger } from '../../../src/report/state-logger.ts';

function createSink(
  settings: Partial<LogSettings> = {},
  surroundings: { isTty?: boolean; isJournal?: boolean } = {},
) {
  const lines: string[] = [];
  const destination = { write: (text: string) => void lines.push(text) };
  const whole = { isTty: false, ...surroundings, destination };
  return { lines, log: createLogger({ level: 'info', format: 'auto', ...settings }, whole) };
}

describe('the log', () => {
  test('is one JSON object a line for machines', () => {
    const { lines, log } = createSink();
    log.info({ interface: 'tributary0' }, 'tunnel is up');
    log.debug('not at this level');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('\n')).toBe(true);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      interface: 'tributary0',
      message: 'tunnel is up',
    });
  });

  test.each([
    { format: 'auto', isTty: true, isText: true },
    { format: 'auto', isTty: false, isText: false },
    { format: 'json', isTty: true, isText: false },
    { format: 'text', isTty: false, isText: true },
  ] as const)(
    'with $format at a terminal ($isTty) is text: $isText',
    ({ format, isTty, isText }) => {
      const { lines, log } = createSink({ format }, { isTty });
      log.warn({ attempt: 3, service: { host: 'a b' } }, 'asking again');
      const line = lines.join('');
      if (isText)
        expect(line).toMatch(
          /^\d\d:\d\d:\d\d warn {2}asking again {2}attempt=3 {2}service\.host="a b"\n$/,
        );
      else expect(JSON.parse(line)).toMatchObject({ attempt: 3 });
    },
  );

  test.each(['auto', 'text'] as const)(
    'with %s has the priority of each record in the journal, and no time',
    (format) => {
      const { lines, log } = createSink({ level: 'trace', format }, { isJournal: true });
      const levels = ['error', 'warn', 'info', 'debug', 'trace'] as const;
      for (const level of levels) log[level]({ attempt: 3 }, 'asking again');
      expect(lines).toEqual(
        [3, 4, 6, 7, 7].map((priority) => `<${priority}>asking again  attempt=3\n`),
      );
    },
  );

  test('is JSON in the journal too where the owner wants it', () => {
    const { lines, log } = createSink({ format: 'json' }, { isJournal: true });
    log.info('up');
    expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'info', message: 'up' });
  });

  test.each([
    ['a line', 'up\n<0>forged', '<6>up <0>forged\n'],
    ['a priority', '<0>forged', '<6><0>forged\n'],
    ['another line break', 'up\r\u2028<0>forged', '<6>up  <0>forged\n'],
  ])('lets no text of a stranger forge %s in the journal', (_what, message, expected) => {
    const { lines, log } = createSink({}, { isJournal: true });
    log.info(message);
    log.info({ said: message, [message]: 1 }, 'refused');
    expect(lines[0]).toBe(expected);
    // The journal takes a priority from the beginning of a line alone.
    expect(lines.join('').match(/^<\d>/gm)).toEqual(['<6>', '<6>']);
  });

  test('has no line that the journal would break in two', () => {
    const { lines, log } = createSink({}, { isJournal: true });
    log.warn(
      { said: '\u{1f600}<0>'.repeat(20_000), more: '\uffff<0>'.repeat(20_000) },
      '<0>'.repeat(20_000),
    );
    log.warn({ said: '\uac00<0>'.repeat(20_000) }, 'up');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThan(48 * 1024);
    expect(lines.join('').match(/^<\d>/gm)).toEqual(['<4>', '<4>']);
  });

  test('lets no text of a stranger steer the terminal', () => {
    const { lines, log } = createSink({ format: 'text' });
    log.info({ said: '\u001b]0;owned\u0007\u202e', more: '\n00:00:00 info  forged' }, 'refused');
    expect(lines.join('').slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test.each(['json', 'text'] as const)(
    'holds no secret as %s, neither by type nor by name',
    (format) => {
      const { lines, log } = createSink({ level: 'trace', format });
      const fields = {
        token: 'HIDE-1',
        jwt: 'HIDE-2',
        headers: { authorization: 'HIDE-3' },
        a: { b: { privateKey: 'HIDE-4' } },
      };
      log.trace({ ...fields, mine: new Secret('HIDE-5') }, 'asking');
      expect(lines.join('')).toContain('[secret]');
      expect(lines.join('')).not.toContain('HIDE');
    },
  );

  test('keeps code and message of an error, never what a program said or was told', () => {
    const { lines, log } = createSink();
    const cause = Object.assign(new Error('Command failed\nHIDE-OUT'), {
      shortMessage: 'wg exited with 1',
      stdout: 'HIDE-OUT',
      options: { input: 'HIDE-IN' },
    });
    log.error(
      { error: new TributaryError('tunnel-failed', 'setting the peer', { cause }) },
      'tunnel failed',
    );
    log.error({ error: cause }, 'tunnel failed');
    expect(lines.join('')).not.toContain('HIDE');
    expect(JSON.parse(lines[1] ?? '').error).toEqual({
      code: 'Error',
      message: 'wg exited with 1',
    });
    expect(JSON.parse(lines[0] ?? '').error).toEqual({
      code: 'tunnel-failed',
      message: 'setting the peer',
      cause: { code: 'Error', message: 'wg exited with 1' },
    });
  });

  test('keeps the stack of a bug', () => {
    const { lines, log } = createSink();
    log.error({ error: new TypeError('x is undefined') }, 'bug');
    expect(JSON.parse(lines[0] ?? '').error).toMatchObject({
      code: 'TypeError',
      stack: expect.stringContaining('at '),
    });
  });
});

describe('a state', () => {
  test('is logged when it changes, not when it repeats', () => {
    const { lines, log } = createSink();
    const states = createStateLogger(log);
    const unreachable = {
      topic: 'service',
      state: 'unreachable',
      level: 'warn',
      message: 'service does not answer',
    } as const;
    const reachable = {
      topic: 'service',
      state: 'reachable',
      level: 'info',
      message: 'service answers',
    } as const;
    for (const change of [unreachable, unreachable, reachable, unreachable]) states.note(change);
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      'service does not answer',
      'service answers',
      'service does not answer',
    ]);
  });

  test('of one topic says nothing about another', () => {
    const { lines, log } = createSink();
    const states = createStateLogger(log);
    states.note({ topic: 'tunnel', state: 'up', level: 'info', message: 'tunnel is up' });
    states.note({
      topic: 'gateway',
      state: 'up',
      level: 'info',
      message: 'gateway is open',
      fields: { uplink: 'eth0' },
    });
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      'tunnel is up',
      'gateway is open',
    ]);
  });

  test('is told by message and fields, without the key by which it is known', () => {
    const { lines, log } = createSink();
    const fields = { phase: 'idle', reason: undefined };
    createStateLogger(log).note({
      topic: 'phase',
      state: 'idle outside-unknown',
      level: 'info',
      message: 'phase',
      fields,
    });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'phase', phase: 'idle' });
    expect(lines[0]).not.toMatch(/topic|outside-unknown/);
  });
});
