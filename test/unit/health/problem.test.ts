import { describe, expect, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { continueProblem } from '../../../src/health/problem.ts';
import { ago, now } from '../../../tools/docs/sample-facts.ts';

const unreachable = new TributaryError('service-unreachable', 'no answer');
const known = { code: 'service-unreachable', message: 'no answer', since: ago(60) } as const;

describe('a problem', () => {
  test('begins with the first failure', () => {
    expect(continueProblem(undefined, unreachable, now)).toEqual({ ...known, since: now });
  });

  test('keeps its beginning while failures of its kind go on, with the latest words', () => {
    const again = new TributaryError('service-unreachable', 'still no answer');
    expect(continueProblem(known, again, now)).toEqual({ ...known, message: 'still no answer' });
  });

  test('gives way to one of another kind, which begins now', () => {
    const refused = new TributaryError('service-refused', 'go away');
    expect(continueProblem(known, refused, now)).toEqual({
      code: 'service-refused',
      message: 'go away',
      since: now,
    });
  });

  test('of an unknown kind is a command that failed', () => {
    expect(continueProblem(undefined, new Error('exit code 1'), now)).toEqual({
      code: 'command-failed',
      message: 'exit code 1',
      since: now,
    });
  });

  test('keeps what its own failure says is to be done', () => {
    const action = 'Install the newer version again.';
    const newer = new TributaryError('state-unreadable', 'made by a newer version', { action });
    expect(continueProblem(undefined, newer, now)?.action).toBe(action);
    expect(continueProblem(known, unreachable, now)?.action).toBeUndefined();
  });

  test('ends when all went well', () => {
    expect(continueProblem(known, undefined, now)).toBeUndefined();
  });
});
