import { expect, test } from 'vitest';
import { judgeOtherClients, judgeSignIn } from '../../../../src/agent/talk/note-account.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import { dayMs, hourMs } from '../../../../src/lib/units.ts';
import { makeJwt, registration } from '../../identity/fake-service.ts';

const startMs = Date.UTC(2026, 2, 1);
const endsMs = startMs + 30 * dayMs;
const sign = (endMs = endsMs) => new Secret(makeJwt({ iat: startMs / 1000, exp: endMs / 1000 }));
const heard = (ms: number) => ({ serviceTime: { ms, heardAtMs: performance.now() } });

test.each<[string, number, object, RegExp | undefined]>([
  ['more than a week before its end', 0, heard(endsMs - 7 * dayMs - 1000), undefined],
  ['less than a week before its end', 0, heard(endsMs - 7 * dayMs + 60_000), /ends in 6 d/],
  ['after its end', 0, heard(endsMs + hourMs), /ended 1 h/],
  ['by a wrong clock of this device', endsMs + dayMs, heard(startMs), undefined],
  ['before the service named a time', endsMs - dayMs, {}, /ends in 1 d/],
  ['by a clock that is not set', 0, {}, undefined],
])('a sign-in %s', (_, ownMs, contact, told) => {
  const service = { token: sign() };
  const now = new Date(ownMs);
  const { ending, endsAt } = judgeSignIn({ state: { contact }, service, now });
  expect(endsAt?.getTime()).toBe(endsMs);
  expect(ending?.message ?? '').toMatch(told ?? /^$/);
});

test('a sign-in of an hour is told of in its last quarter, and since then', () => {
  const token = sign(startMs + hourMs);
  const at = (minutes: number, signIn = {}) =>
    judgeSignIn({
      state: { contact: heard(startMs + minutes * 60_000) },
      service: { token, ...signIn },
      now: new Date(startMs + minutes * 60_000),
    });
  expect(at(44).ending).toBeUndefined();
  const told = at(46);
  expect(told.ending?.code).toBe('sign-in-ending');
  expect(at(50, { signIn: told }).ending?.since).toEqual(told.ending?.since);
});

test.each<[readonly string[] | undefined, RegExp | undefined]>([
  [undefined, undefined],
  [[], undefined],
  [['one', 'two\u001b[31m'], /client-1\) more than once, also as one, two\S*, which/],
])('other clients of this device, %j, are told', (otherClientIds, told) => {
  const service = { registration: { ...registration, otherClientIds } };
  const problem = judgeOtherClients({ service, now: new Date(startMs) });
  expect(problem?.message ?? '').toMatch(told ?? /^$/);
  expect(problem?.message ?? '').not.toContain('\u001b');
});
