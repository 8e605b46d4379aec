import { expect, test, vi } from 'vitest';
import { createNoteDelivery, explainUndelivered } from '../../../../src/agent/tell/deliveries.ts';
import { createAgentWorld } from '../agent-world.ts';

const broker = { name: 'mqtt', host: '127.0.0.1:1883' } as const;
const hook = { name: 'webhook', host: 'hook.example' } as const;
const refused = { kind: 'failed', reason: 'connect ECONNREFUSED' } as const;
const day = new Date('2026-07-01T12:00:00Z');
const later = (minutes: number) => ({ isInside: false, nowMs: performance.now() + minutes * 6e4 });
const inside = { isInside: true, nowMs: performance.now() };

function note(...tries: readonly Parameters<ReturnType<typeof createNoteDelivery>>[]) {
  const section = { failing: [] };
  const noteDelivery = createNoteDelivery(section, () => day);
  for (const [receiver, outcome] of tries) noteDelivery(receiver, outcome);
  return section.failing;
}

test('a receiver that takes nothing for five minutes is named with its last reason', () => {
  const failing = note([hook, refused], [hook, { kind: 'lost', reason: 'it was cut off' }]);
  expect(explainUndelivered(failing, later(4.9))).toBeUndefined();
  expect(explainUndelivered(failing, later(5.1))).toEqual({
    code: 'report-undelivered',
    message: 'report.webhook (hook.example) gets nothing: it was cut off. Sharing goes on.',
    since: day,
  });
});

test('one that refused a report is said to get the next one', () => {
  const failing = note([hook, refused], [hook, { kind: 'refused', reason: 'it answered 404' }]);
  expect(explainUndelivered(failing, later(6))?.message).toBe(
    'report.webhook (hook.example) did not take the last report: it answered 404; the next one is tried again. Sharing goes on.',
  );
});

test('one that took something since is not named, and the other one is', () => {
  const failing = note([hook, refused], [broker, refused], [hook, { kind: 'delivered' }]);
  const message = explainUndelivered(failing, later(6))?.message;
  expect(message).toMatch(/^report\.mqtt \(127\.0\.0\.1:1883\) gets nothing: connect ECONN/);
  expect(message).not.toMatch(/webhook/);
});

test.each([
  ['127.0.0.1:1883', /leads nowhere; write this host's address/],
  ['localhost:1883', /leads nowhere/],
  ['[::1]:1883', /leads nowhere/],
  ['192.168.1.9:1883', undefined],
])('within a namespace of its own %s is named at once: %s', (host, expected) => {
  const failing = note([{ name: 'mqtt', host }, refused]);
  const found = explainUndelivered(failing, inside)?.message ?? '';
  expect(found).toMatch(expected ?? /^$/);
  expect(explainUndelivered(failing, { ...inside, isInside: false })).toBeUndefined();
});

test('the status has it, as passes found where the agent is', async () => {
  const { sections, facts } = await createAgentWorld();
  createNoteDelivery(sections.deliveries, () => day)(broker, refused);
  expect(facts().undelivered).toBeUndefined();
  sections.path.observed = { uplink: 'uplink0' } as never;
  expect(facts().undelivered).toMatchObject({ code: 'report-undelivered', since: day });
  sections.path.observed = { uplink: 'eth0' } as never;
  expect(facts().undelivered).toBeUndefined();
  const soon = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 301_000);
  expect(facts().undelivered?.message).toMatch(/ECONNREFUSED/);
  soon.mockRestore();
});
