import { expect, test } from 'vitest';
import { partNames, readBenchOptions } from '../../../tools/bench/bench-options.ts';

test('without words everything of the agent is measured', () => {
  expect(readBenchOptions([])).toEqual({
    subject: 'agent',
    parts: partNames,
    rounds: 5,
    restSeconds: 60,
    json: undefined,
  });
});

test('parts are measured in their own order', () => {
  const options = readBenchOptions([
    '--only',
    'rest,start',
    '--rounds',
    '3',
    '--rest-seconds',
    '30',
    '--json',
    'figures.json',
  ]);
  expect(options).toMatchObject({
    parts: ['start', 'rest'],
    rounds: 3,
    restSeconds: 30,
    json: 'figures.json',
  });
});

test.each([
  [['--only', 'rest,stat'], 'stat: one of start, '],
  [['servce'], 'servce: one of agent, service, rules'],
  [['rules', 'service'], 'service: too many words'],
  [['--rounds', '0'], '--rounds: a number from 1 to 50'],
  [['--rest-seconds', '2.5'], '--rest-seconds: a number'],
  [['service', '--json', 'file'], '--json: only - here'],
  [['--speed'], "Unknown option '--speed'"],
])('%o is refused', (args, why) => {
  expect(() => readBenchOptions(args)).toThrow(why);
});
