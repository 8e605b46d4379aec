import { expect, onTestFinished, test } from 'vitest';
import { startEngineProcess } from '../../../../src/source/connect/engine-process.ts';
import type { FromEngine } from '../../../../src/source/connect/protocol.ts';
import { speakWith } from '../../../../src/system/spoken-program.ts';
import { toState } from '../../../connect/support/engine-state.ts';

/** Runs a script as the engine, to its end. */
async function hear(script: string, tell?: (told: ReturnType<typeof startEngineProcess>) => void) {
  const messages: FromEngine[] = [];
  const errors: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const engine = startEngineProcess({
    speakWith,
    launch: { program: process.execPath, args: ['-e', script] },
    env: {},
    onMessage: (message) => messages.push(message),
    onErrorLine: (line) => errors.push(line),
    onEnd: resolve,
  });
  onTestFinished(engine.kill);
  tell?.(engine);
  return { how: await promise, messages, errors };
}

const say = (message: object) => `console.log(${JSON.stringify(JSON.stringify(message))});`;
/** Goes on until it is ended from outside. */
const stay = 'setInterval(() => undefined, 1000);';

test('an engine is heard line by line, and told in lines', async () => {
  const script = `process.stdin.on('data', (text) => {
    if (String(text).includes('"stop"')) { ${say({ type: 'ended', reportsLeft: 2 })} process.exit(0); }
  }); ${say({ type: 'opened' })} ${say(toState())}`;
  const heard = await hear(script, (engine) => engine.tell({ type: 'stop', final: true }));
  expect(heard.messages).toEqual([
    { type: 'opened' },
    toState(),
    { type: 'ended', reportsLeft: 2 },
  ]);
  expect(heard.how).toBe('exited with 0');
});

test('an engine ends with its input', async () => {
  const { how } = await hear("process.stdin.on('end', () => process.exit(3)).resume()", (engine) =>
    engine.hangUp(),
  );
  expect(how).toBe('exited with 3');
});

test.each([
  ['no JSON', "console.log('hello');", /no message: no JSON/],
  ['a message that there is not', say({ type: 'reboot' }), /no message: not sound/],
  ['a state without its counters', say({ ...toState(), counters: {} }), /no message: not sound/],
  [
    'a line without end',
    "for (let n = 0; n < 9; n++) process.stdout.write('x'.repeat(2 ** 20));",
    /a line is too long/,
  ],
  [
    'books in a message that has none',
    say({ type: 'problem', code: 'line-refused', message: 'x'.repeat(70_000) }),
    /no message/,
  ],
])('an engine that says %s is ended, and nothing after it is heard', async (_, script, why) => {
  const heard = await hear(`${script} console.log(); ${say({ type: 'opened' })} ${stay}`);
  expect(heard.messages).toEqual([]);
  expect(heard.how).toMatch(why);
});

test('of what an engine writes to standard error, the log gets a bounded part', async () => {
  const { errors } = await hear(
    "for (let n = 0; n < 500; n++) console.error('e'.repeat(1000)); console.error('last');",
  );
  expect(errors).toHaveLength(100);
  expect(Math.max(...errors.map(({ length }) => length))).toBe(400);
});

test('an engine that cannot be started says why', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const engine = startEngineProcess({
    speakWith,
    launch: { program: '/no/such/program', args: [] },
    env: {},
    onMessage: () => undefined,
    onErrorLine: () => undefined,
    onEnd: resolve,
  });
  engine.tell({ type: 'stop', final: false });
  expect(await promise).toMatch(/could not be started: .*ENOENT/);
});

test('an engine gets nothing of this environment', async () => {
  const { errors } = await hear('console.error(JSON.stringify(process.env))');
  expect(errors).toEqual(['{}']);
});
