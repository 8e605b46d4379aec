import type { Rule } from './rule.ts';

/** What the tests keep to. */
export const testRules: readonly Rule[] = [
  {
    name: 'a test waits for all that it starts',
    reason:
      'what still runs when a test ends writes into a folder that is being removed, and disturbs the files that share its process',
    find: (modules) =>
      modules.flatMap((own) => own.droppedWork.map((line) => `${own.path}: ${line}`)),
    broken: [
      { 'test/unit/lib/some.test.ts': 'test("a", () => { void setNone(world); });' },
      { 'test/unit/lib/some.test.ts': 'test("a", () => { void world.loop.tick(); });' },
      { 'test/unit/lib/some.test.ts': 'const notify = () => void setNone(world);' },
      { 'test/flow/some.test.ts': 'const answer = () => { return void passOn(request); };' },
      { 'test/flow/some.test.ts': 'test("a", () => { void sleep(1000).then(passed); });' },
      { 'test/flow/some.test.ts': 'test("a", () => { void (async () => 1)(); });' },
      { 'test/flow/some.test.ts': 'test("a", () => { running.catch(() => undefined); });' },
      { 'test/flow/some.test.ts': 'test("a", () => { running().finally(close); });' },
      { 'test/flow/some.test.ts': 'onTestFinished(() => void agent.close());' },
    ],
  },
  {
    name: 'a test waits with the patience of the whole suite',
    reason:
      'a wait that is cut short for one test fails on a machine that is busy; vi.waitFor gives up after a second',
    find: (modules) =>
      modules
        .filter(({ path }) => !/^test\/(systems\/|architecture\/|patience\.ts$)/.test(path))
        .filter(({ code }) => shortWait.test(code))
        .map(({ path, code }) => `${path}: ${shortWait.exec(code)?.[0]}`),
    broken: [
      { 'test/unit/lib/some.test.ts': 'await vi.waitFor(() => expect(lines).toHaveLength(1));' },
      { 'test/unit/lib/some.test.ts': 'await vi.waitUntil(() => lines.length === 1);' },
      { 'test/net/some.test.ts': 'await expect.poll(look, { timeout: 15_000 }).toBe(true);' },
      {
        'test/net/some.test.ts':
          'await expect\n  .poll(() => look(3), { interval: 20, timeout: 8000 })\n  .toBe(true);',
      },
    ],
  },
];

/** A time that has a name is a claim of the test: how soon something has to be there. */
const shortWait = /\bvi\s*\.wait(For|Until)\b|\.poll\((?:(?!\.poll\()[\s\S]){0,200}?\btimeout: \d/;
