import { describe, expect, test } from 'vitest';
import { createCodes, createSecretCode } from '../../src/reference-service/codes.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { makeDirectory } from '../make-directory.ts';
import { listScans } from './query-plan.ts';

const terms = { durationMinutes: 10, uses: 1 };

function open() {
  const clock = { nowMs: 1_800_000_000_000 };
  const database = openDatabase(makeDirectory());
  const networks = createNetworks(database, () => clock.nowMs);
  const codes = createCodes(database, 'alphanumeric', () => clock.nowMs);
  return { clock, database, codes, networks, networkId: networks.ensureFirst().networkId };
}

describe('a login code', () => {
  test('is good for as many logins as it was issued for', () => {
    const { codes, networkId } = open();
    const code = codes.issue('login', networkId, { durationMinutes: 10, uses: 2 });
    expect([1, 2, 3].map(() => codes.redeem('login', code))).toEqual([
      networkId,
      networkId,
      undefined,
    ]);
  });
  test.each([
    [10, 599_999, true],
    [10, 600_000, false],
    [0.001, 59, true],
    [0.001, 60, false],
  ])('of %f minutes after %i ms: good is %s', (durationMinutes, laterMs, isGood) => {
    const { clock, codes, networkId } = open();
    const code = codes.issue('login', networkId, { durationMinutes, uses: 1 });
    clock.nowMs += laterMs;
    expect(codes.countLoginCodes(networkId)).toBe(isGood ? 1 : 0);
    expect(codes.redeem('login', code) !== undefined).toBe(isGood);
  });
  test('stands and counts for its own network', () => {
    const { codes, networks, networkId } = open();
    const other = networks.create('another').networkId;
    const code = codes.issue('login', other, terms);
    expect([codes.countLoginCodes(networkId), codes.countLoginCodes(other)]).toEqual([0, 1]);
    expect(codes.redeem('login', code)).toBe(other);
  });
  test('leaves nothing behind once it is used up or expired', () => {
    const { clock, codes, database, networkId } = open();
    const rows = () => database.prepare('select count(*) as codes from code').get()?.codes;
    codes.redeem('login', codes.issue('login', networkId, terms));
    expect(rows()).toBe(0);
    codes.issue('login', networkId, terms);
    clock.nowMs += 600_000;
    codes.issue('login', networkId, terms);
    expect(rows()).toBe(1);
  });
  test('is kept as a hash', () => {
    const { codes, database, networkId } = open();
    const code = codes.issue('login', networkId, terms);
    const [row] = database.prepare('select * from code').all();
    expect(JSON.stringify(row)).not.toContain(code);
  });
});

test.each([
  ['login', 'reset'],
  ['reset', 'login'],
] as const)(
  'a %s code is no %s code, and is still good after it was tried as one',
  (purpose, other) => {
    const { codes, networkId } = open();
    const code = codes.issue(purpose, networkId, terms);
    expect(codes.countLoginCodes(networkId)).toBe(purpose === 'login' ? 1 : 0);
    expect(codes.redeem(other, code)).toBeUndefined();
    expect([codes.redeem(purpose, code), codes.redeem(purpose, code)]).toEqual([
      networkId,
      undefined,
    ]);
  },
);

test('no question walks over all codes', async () => {
  const scans = listScans(
    (database) => createCodes(database, 'alphanumeric', () => 0),
    (codes, database) => {
      const { networkId } = createNetworks(database, () => 0).ensureFirst();
      codes.redeem('login', codes.issue('login', networkId, terms));
      codes.countLoginCodes(networkId);
    },
  );
  expect(await scans).toEqual([]);
});

describe('codes', () => {
  const create = (alphabet: 'alphanumeric' | 'base64url') =>
    Array.from({ length: 200 }, () => createSecretCode(alphabet));
  test('of the documented service are letters and digits', () => {
    expect(create('alphanumeric').filter((code) => !/^[A-Za-z0-9]{32}$/.test(code))).toEqual([]);
  });
  test('of a production service are base64url, and some begin with a minus sign', () => {
    const codes = create('base64url');
    expect(codes.filter((code) => !/^[A-Za-z0-9_-]{32,684}$/.test(code))).toEqual([]);
    expect(codes.some((code) => code.startsWith('-'))).toBe(true);
  });
  test.each(['alphanumeric', 'base64url'] as const)('of %s are never the same', (alphabet) => {
    expect(new Set(create(alphabet)).size).toBe(200);
  });
});
