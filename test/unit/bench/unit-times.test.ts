import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readUnitTimes } from '../../../tools/bench/unit-times.ts';

test.each([
  ['5s', 5],
  ['1', 1],
  ['500ms', 0.5],
  ['1min 30s', 90],
  ['2min', 120],
])('RestartSec=%s are %d seconds', (text, restartSeconds) => {
  const unit = `[Service]\nRestartSteps=4\nRestartSec=${text}\n# WatchdogSec=1s\nWatchdogSec=90s\n`;
  expect(readUnitTimes(unit)).toEqual({ restartSeconds, watchdogSeconds: 90 });
});

test('a unit without them is refused', () => {
  expect(() => readUnitTimes('[Service]\nRestartSec=5s\n')).toThrow('no WatchdogSec');
});

test("the package's unit says both", () => {
  const unit = readFileSync(new URL('../../../systemd/tributary.service', import.meta.url), 'utf8');
  const { restartSeconds, watchdogSeconds } = readUnitTimes(unit);
  expect(restartSeconds).toBeLessThan(watchdogSeconds);
});
