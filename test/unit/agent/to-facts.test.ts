import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ErrorCode } from '../../../src/errors/codes.ts';
import { createAgentWorld } from './agent-world.ts';

/** What is said of the service where the last renewal failed so. */
async function judge(code: ErrorCode | undefined, isReachable: boolean | undefined) {
  const { sections, facts } = await createAgentWorld();
  sections.contact.isReachable = isReachable;
  sections.service.problem = code && { code, message: 'about it', since: new Date(0) };
  return facts().service;
}

test('how far sharing yields is as the household loop left it', async () => {
  const { sections, facts } = await createAgentWorld({
    provide: { cap: { bytes: '1 GB', counts: 'line' } },
  });
  expect(facts().provide.household).toEqual({
    mode: 'first',
    bitsPerSecond: undefined,
    yieldingSince: undefined,
    yields: 0,
  });
  Object.assign(sections.household, { bitsPerSecond: 3_200_000, yieldingSince: new Date(7) });
  expect(facts().provide.household).toEqual({
    mode: 'first',
    bitsPerSecond: 3_200_000,
    yieldingSince: new Date(7),
    yields: 0,
  });
  expect(facts().usage.counts).toBe('line');
});

describe('the service counts as reachable', () => {
  test.each([
    { code: undefined, isReachable: undefined, expected: undefined },
    { code: undefined, isReachable: true, expected: true },
    { code: undefined, isReachable: false, expected: false },
    { code: 'service-failed', isReachable: true, expected: false },
    { code: 'rate-limited', isReachable: undefined, expected: false },
    { code: 'answer-invalid', isReachable: true, expected: false },
    { code: 'not-authorized', isReachable: true, expected: true },
  ] as const)(
    '$expected where $isReachable, after a renewal with $code',
    async ({ code, isReachable, expected }) => {
      const service = await judge(code, isReachable);
      expect(service.isReachable).toBe(expected);
      expect(service.lastError?.code).toBe(code);
    },
  );
});

test('a process without a free descriptor knows all but its memory', async () => {
  const rss = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  });
  onTestFinished(() => rss.mockRestore());
  const { facts } = await createAgentWorld();
  expect(facts()).toMatchObject({ residentBytes: undefined, version: expect.any(String) });
});
