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
];
