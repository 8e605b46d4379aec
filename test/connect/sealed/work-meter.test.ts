import { expect, test } from 'vitest';
import { createWorkMeter, timedOneIn } from '../../../src/connect/sealed/work-meter.ts';

test('a meter times one piece of work in so many, and takes it for all of them', () => {
  let now = 0;
  let looks = 0;
  const meter = createWorkMeter(() => {
    looks++;
    return now;
  });
  const work = () => {
    now += 3;
    return now;
  };
  const done = Array.from({ length: 10 * timedOneIn }, () => meter.measure(work));
  expect(done.at(-1)).toBe(10 * timedOneIn * 3);
  expect(meter.sumMs()).toBe(now);
  expect(looks).toBe(20);
});

test('the first piece of work, which is slow, stands for none but itself', () => {
  let now = 0;
  const meter = createWorkMeter(() => now);
  for (let piece = 0; piece < 2 * timedOneIn; piece += 1)
    meter.measure(() => {
      now += piece === 0 ? 100 : 1;
    });
  expect(meter.sumMs()).toBe(2 * timedOneIn);
});
