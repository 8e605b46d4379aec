import { expect, test } from 'vitest';
import { computeSpeeds } from '../../../src/health/speeds.ts';

test.each([
  { claim: 'by the time that passed', before: 0, after: 3000, seconds: 30, speed: 100 },
  {
    claim: 'as nothing where the counter is an older one',
    before: 5000,
    after: 3000,
    seconds: 30,
    speed: 0,
  },
  { claim: 'as a finite number in no time', before: 0, after: 3, seconds: 0, speed: 3000 },
])('a speed is measured $claim', ({ before, after, seconds, speed }) => {
  const reading = (atMs: number, upBytes: number) => ({ atMs, upBytes, downBytes: 0 });
  expect(computeSpeeds([reading(0, before), reading(seconds * 1000, after)])).toEqual([
    { up: speed, down: 0 },
  ]);
});
