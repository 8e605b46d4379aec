import { expect, test } from 'vitest';
import { type Figure, isMet, renderFigures } from '../../../tools/bench/figures.ts';

const start: Figure = {
  name: 'start to providing',
  value: 0.3,
  unit: 'seconds',
  beside: { name: 'shell script', value: 0.15 },
  goal: { of: 'ratio', most: 2 },
};

test.each<[string, Figure, boolean | undefined]>([
  ['a ratio at its goal is met', start, true],
  ['a ratio above it is missed', { ...start, value: 0.31 }, false],
  [
    'a ratio at least as high as its goal is met',
    { ...start, goal: { of: 'ratio', least: 2 } },
    true,
  ],
  ['a ratio below it is missed', { ...start, goal: { of: 'ratio', least: 2.1 } }, false],
  ['a value is judged by itself', { ...start, goal: { of: 'value', most: 0.2 } }, false],
  [
    'a ratio to nothing is missed',
    { name: 'x', value: 1, unit: 'count', goal: { of: 'ratio', most: 2 } },
    false,
  ],
  ['a figure that is none is missed', { ...start, value: Number.NaN }, false],
  ['nothing was wanted', { name: 'x', value: 1, unit: 'count' }, undefined],
])('%s', (_, figure, met) => {
  expect(isMet(figure)).toBe(met);
});

test('each figure has its goal beside it', () => {
  const rest: Figure = {
    name: 'CPU at rest',
    value: 0.58,
    unit: 'percent',
    goal: { of: 'value', most: 0.1 },
    note: 'ip',
  };
  const throughput: Figure = {
    name: 'one flow',
    value: 200,
    unit: 'megabits per second',
    beside: { name: 'WireGuard', value: 500 },
    goal: { of: 'ratio', least: 0.5 },
  };
  expect(renderFigures([start, rest, throughput])).toBe(
    [
      '                                         agent                   beside it   ratio          goal',
      'start to providing                     0.300 s        shell script 0.150 s    2.00        × 2.00  met',
      'CPU at rest                            0.580 %                                           0.100 %  missed; ip',
      'one flow                            200 Mbit/s        WireGuard 500 Mbit/s    0.40      ≥ × 0.50  missed',
      '',
    ].join('\n'),
  );
});
