import { expect, test } from 'vitest';
import { compareDays } from '../../../../../src/cli/commands/stats/device-view.ts';
import { GIB } from '../../../../../src/lib/units.ts';
import { pickFigures } from '../../../../../src/report/ledger-figures.ts';

const own = (day: string, hours: number, gib: number) => ({
  day,
  ...pickFigures({ providingSeconds: hours * 3600, downBytes: gib * GIB }),
  service: { onlineSeconds: undefined, bytes: undefined, payoutUsdc: undefined },
});
const theirs = (day: string, uptimeHours: number | undefined, transferGib: number | undefined) => ({
  day,
  uptimeHours,
  transferGib,
  payoutUsdc: undefined,
  searchInterest: undefined,
  contracts: undefined,
  consumers: undefined,
});

const on = (today: string) => ({ today, profile: 'documented' as const });

test('where the production profile counts less, it leaves out what consumers download', () => {
  const compare = (transferGib: number) =>
    compareDays([theirs('2026-03-13', 20, transferGib)], [own('2026-03-13', 20, 2)], {
      today: '2026-03-15',
      profile: 'production',
    }).reasons;
  expect(compare(1)).toEqual(['downloads-left-out']);
  expect(compare(2)).toEqual([]);
});

test.each([
  ['agree', [theirs('2026-03-13', 20, 2)], []],
  ['are close', [theirs('2026-03-13', 19.8, 2.02)], []],
  ['miss uptime', [theirs('2026-03-13', 15, 2)], ['uptime-undercounted']],
  ['begin later', [theirs('2026-03-14', 20, 2)], ['history-purged']],
  ['are gone', [], ['history-purged']],
  ['miss transfer on the documented interface', [theirs('2026-03-13', 20, 1)], []],
  ['say nothing of a figure', [theirs('2026-03-13', undefined, undefined)], []],
] as const)(
  "where the service's figures %s, the comparison names the reason",
  (_name, service, reasons) => {
    const compared = compareDays(service, [own('2026-03-13', 20, 2)], on('2026-03-15'));
    expect(compared.reasons).toEqual(reasons);
  },
);

test('a difference is what the service counted less what was counted here, as a share of that', () => {
  const { days, reasons } = compareDays(
    [theirs('2026-03-13', 15, 3)],
    [own('2026-03-13', 20, 2)],
    on('2026-03-13'),
  );
  expect(days).toEqual([
    {
      day: '2026-03-13',
      providingHours: 20,
      transferGib: 2,
      uptimeDifference: -0.25,
      transferDifference: 0.5,
    },
  ]);
  expect(reasons).toEqual(['uptime-undercounted', 'still-counting']);
  expect(
    compareDays([theirs('2026-03-13', 15, 3)], [own('2026-03-13', 0, 0)], on('')).days[0],
  ).toMatchObject({
    uptimeDifference: undefined,
    transferDifference: undefined,
  });
});
