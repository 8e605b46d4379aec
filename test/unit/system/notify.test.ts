import { expect, test } from 'vitest';
import { createNotify } from '../../../src/system/notify.ts';

test('a text of several lines is no second assignment, and no option', async () => {
  const given: (readonly string[])[] = [];
  const notify = createNotify(async ({ program, args, env }) => {
    given.push([program, ...args, ...Object.values(env ?? {})]);
    return '';
  }, '/run/systemd/notify');
  await notify({ STATUS: 'blocked: a\nREADY=1\n  --pid=1' });
  expect(given).toEqual([
    ['systemd-notify', '--', 'STATUS=blocked: a READY=1 --pid=1', '/run/systemd/notify'],
  ]);
});
