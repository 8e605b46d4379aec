import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceError, type ServiceErrorCode } from '../../src/service/errors.ts';
import { planRetryMs, withRetry } from '../../src/service/retry.ts';

const always = { repeat: 'always', random: () => 1, tries: 3 } as const;
const unsent = { repeat: 'unsent', random: () => 1, tries: 3 } as const;
const failure = (code: ServiceErrorCode, options = {}) => new ServiceError(code, 'x', options);

afterEach(() => {
  vi.useRealTimers();
});

describe('the wait before another try', () => {
  it.each<[string, unknown, number, typeof always | typeof unsent, number | undefined]>([
    ['no connection', failure('service-unreachable', { maybeSent: false }), 1, unsent, 500],
    ['no connection, again', failure('service-unreachable', { maybeSent: false }), 2, unsent, 1000],
    [
      'no connection, a third time',
      failure('service-unreachable', { maybeSent: false }),
      3,
      unsent,
      undefined,
    ],
    [
      'a lost answer to a create',
      failure('service-unreachable', { maybeSent: true }),
      1,
      unsent,
      undefined,
    ],
    [
      'an error of unknown effect, to a create',
      failure('service-unreachable'),
      1,
      unsent,
      undefined,
    ],
    [
      'a lost answer to a question',
      failure('service-unreachable', { maybeSent: true }),
      1,
      always,
      500,
    ],
    ['half an answer', failure('answer-truncated', { maybeSent: true }), 1, always, 500],
    ['a failure', failure('service-failed', { maybeSent: true }), 1, always, 500],
    [
      'a failure that says when',
      failure('service-failed', { retryAfterSeconds: 3 }),
      1,
      always,
      3500,
    ],
    [
      'a failure that says much later',
      failure('service-failed', { retryAfterSeconds: 11 }),
      1,
      always,
      undefined,
    ],
    ['too many requests', failure('rate-limited', { maybeSent: false }), 1, always, undefined],
    [
      'too many, for ten seconds',
      failure('rate-limited', { maybeSent: false, retryAfterSeconds: 10 }),
      1,
      unsent,
      10_500,
    ],
    ['a refusal', failure('service-refused'), 1, always, undefined],
    ['a wrong token', failure('not-authorized'), 1, always, undefined],
    ['a page', failure('answer-not-json'), 1, always, undefined],
    ['another shape', failure('answer-invalid'), 1, always, undefined],
    ['too much', failure('answer-too-large'), 1, always, undefined],
    ['a bug', new TypeError('x'), 1, always, undefined],
    ['an abort', new DOMException('x', 'AbortError'), 1, always, undefined],
  ])('after %s', (_, error, attempt, policy, waitMs) => {
    expect(planRetryMs(error, attempt, policy)).toBe(waitMs);
  });

  it('is none where the caller has a loop of its own', () => {
    expect(
      planRetryMs(failure('service-failed', { retryAfterSeconds: 3 }), 1, { ...always, tries: 1 }),
    ).toBeUndefined();
  });

  it('is never longer than ten seconds and the jitter', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (after, attempt, part) => {
          const error = failure('service-failed', { retryAfterSeconds: after });
          expect(
            planRetryMs(error, attempt, { ...always, random: () => part }) ?? 0,
          ).toBeLessThanOrEqual(15_000);
        },
      ),
    );
  });
});

describe('withRetry', () => {
  it('tries three times, waits in between, and then says what went wrong last', async () => {
    vi.useFakeTimers();
    const numbers: number[] = [];
    const outcome = withRetry(
      always,
      async (number) => {
        numbers.push(number);
        throw new ServiceError('service-failed', `try ${number}`);
      },
      new AbortController().signal,
    ).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(499);
    expect(numbers).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(numbers).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await outcome).toBe('try 3');
    expect(numbers).toEqual([1, 2, 3]);
  });

  it('stops at an abort', async () => {
    const controller = new AbortController();
    let tries = 0;
    const work = withRetry(
      always,
      async () => {
        tries += 1;
        controller.abort();
        throw failure('service-failed');
      },
      controller.signal,
    );
    await expect(work).rejects.toMatchObject({ code: 'service-failed' });
    expect(tries).toBe(1);
  });
});
