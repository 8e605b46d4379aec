import { expect, test } from 'vitest';
import { type Finding, fail, pass, skip, warn } from '../../../src/doctor/check.ts';
import { type Check, type CheckId, checks } from '../../../src/doctor/checks.ts';
import { renderReport, toDoctorDocument } from '../../../src/doctor/report.ts';
import { assignCauses, runChecks } from '../../../src/doctor/run-checks.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import { createHost } from './fake-host.ts';

function createCheck(
  id: CheckId,
  needs: readonly CheckId[],
  look: Check['look'] = async () => pass(''),
): Check {
  return { id, title: id, needs, look };
}

const chain = [
  createCheck('uplink', []),
  createCheck('dns', ['uplink']),
  createCheck('service', ['dns']),
];
const wrong = fail('it is wrong', 'fix it');

test.each<readonly [name: string, findings: readonly Finding[], expected: readonly string[]]>([
  [
    'a failure is laid to the first one',
    [wrong, wrong, wrong],
    ['fail', 'skip uplink', 'skip uplink'],
  ],
  ['what is well stays well', [wrong, pass(''), pass('')], ['fail', 'pass', 'pass']],
  [
    'a failure after something well stands for itself',
    [wrong, pass(''), wrong],
    ['fail', 'pass', 'fail'],
  ],
  [
    'what could not be looked at is no cause',
    [skip(''), wrong, wrong],
    ['skip', 'fail', 'skip dns'],
  ],
])('%s', (_, findings, expected) => {
  const found = new Map(chain.map(({ id }, index) => [id, findings[index] ?? pass('')]));
  const results = assignCauses(chain, found);
  expect(
    results.map(({ finding, becauseOf }) => [finding.verdict, becauseOf].filter(Boolean).join(' ')),
  ).toEqual(expected);
});

test('every check comes after all that it needs', () => {
  const before = new Set<CheckId>();
  for (const { id, needs } of checks) {
    expect(needs.filter((need) => !before.has(need))).toEqual([]);
    before.add(id);
  }
});

test('a check of one source is left out where the configuration asks for others', async () => {
  const of = (source: string) => ({ ...createCheck('uplink', [], async () => wrong), source });
  const look = async (source: string) =>
    (await runChecks([of(source)], await createHost())).map(({ finding }) => finding);
  expect(await look('wireguard')).toEqual([wrong]);
  expect(await look('program')).toEqual([skip('the configuration asks for no program')]);
});

test('a check that hangs is given up, and holds up no other', async () => {
  const hanging = createCheck('dns', [], () => new Promise(() => undefined));
  const results = await runChecks([createCheck('uplink', []), hanging], await createHost(), 20);
  expect(results.map(({ finding }) => finding)).toEqual([
    pass(''),
    skip('not finished within 0.02 s'),
  ]);
});

test.each([
  ['not-allowed', 'skip'],
  ['host-namespace', 'skip'],
  ['not-running', 'skip'],
  ['command-failed', 'fail'],
  ['missing-program', 'fail'],
] as const)('an error %s is a %s', async (code, verdict) => {
  const check = createCheck('dns', [], async () => Promise.reject(new TributaryError(code, 'why')));
  const [result] = await runChecks([check], await createHost());
  expect(result?.finding).toMatchObject({
    verdict,
    found: code === 'not-running' ? 'no agent runs here' : 'why',
  });
});

test('a warning is no failure, and no cause of one', () => {
  const doubtful = warn('it may be', 'type it');
  const results = assignCauses(
    chain,
    new Map<CheckId, Finding>([
      ['uplink', doubtful],
      ['dns', pass('answers')],
      ['service', doubtful],
    ]),
  );
  expect(renderReport(results, 80)).toEqual([
    'WARN  uplink            it may be',
    '                        > type it',
    'PASS  dns               answers',
    'WARN  service           it may be',
    '                        > type it',
    '',
    'No problem found, 2 warnings.',
  ]);
  expect(toDoctorDocument(results)).toMatchObject({
    checks: [{ verdict: 'warn', mend: 'type it', becauseOf: null }, {}, { verdict: 'warn' }],
    failed: 0,
  });
  const after = assignCauses(
    chain,
    new Map<CheckId, Finding>([
      ['uplink', wrong],
      ['dns', doubtful],
    ]),
  );
  expect(after[1]).toMatchObject({ finding: { verdict: 'skip' }, becauseOf: 'uplink' });
  const failing = new Map(chain.map(({ id }, index) => [id, index === 0 ? doubtful : wrong]));
  expect(assignCauses(chain, failing).map(({ becauseOf }) => becauseOf)).toEqual([
    undefined,
    undefined,
    'dns',
  ]);
});

test('the report is aligned, has the fix under each failure, and the sum at the end', () => {
  const results = assignCauses(
    chain,
    new Map<CheckId, Finding>([
      ['uplink', wrong],
      ['dns', wrong],
      ['service', pass('answers')],
    ]),
  );
  expect(renderReport(results, 80)).toEqual([
    'FAIL  uplink            it is wrong',
    '                        > fix it',
    'SKIP  dns               follows from “uplink”',
    'PASS  service           answers',
    '',
    '1 problem to fix.',
  ]);
});

test('for scripts, absent values are null', () => {
  const results = assignCauses(
    chain,
    new Map<CheckId, Finding>([
      ['uplink', wrong],
      ['dns', wrong],
      ['service', pass('answers')],
    ]),
  );
  expect(toDoctorDocument(results)).toEqual({
    checks: [
      { id: 'uplink', verdict: 'fail', found: 'it is wrong', mend: 'fix it', becauseOf: null },
      { id: 'dns', verdict: 'skip', found: 'it is wrong', mend: null, becauseOf: 'uplink' },
      { id: 'service', verdict: 'pass', found: 'answers', mend: null, becauseOf: null },
    ],
    failed: 1,
  });
});
