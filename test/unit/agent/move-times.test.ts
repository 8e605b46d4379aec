import { expect, test } from 'vitest';
import { moveUnsetTimes } from '../../../src/agent/move-times.ts';
import { createAgentWorld } from './agent-world.ts';

const yearMs = 365 * 86_400_000;

test('times of before the clock was set move with it, and all others stay', () => {
  const set = new Date('2026-05-04T12:00:00Z');
  const open = () => 'a function';
  expect(
    moveUnsetTimes(
      { since: new Date(5), deep: [{ at: new Date(7) }], set, open, none: null },
      yearMs,
    ),
  ).toEqual({
    since: new Date(yearMs + 5),
    deep: [{ at: new Date(yearMs + 7) }],
    set,
    open,
    none: null,
  });
});

test('a device that booted in 1970 says how long a problem lasts, once its clock is set', async () => {
  const { sections, facts } = await createAgentWorld();
  const startedAt = new Date(10_000);
  Object.assign(sections.life, { startedAt });
  const problem = { code: 'service-unreachable', message: 'about it', since: new Date(12_000) };
  Object.assign(sections.service, { problem });
  const now = Date.now();
  const sinceMs = facts().service.lastError?.since.getTime() ?? 0;
  expect(Math.abs(now - performance.now() + 2_000 - sinceMs)).toBeLessThan(60_000);
});
