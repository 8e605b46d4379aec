import { parseArgs } from 'node:util';
import { download } from './support/fast-download.ts';
import { type Day, findGrowth, liveLong } from './support/long-life.ts';

/*
 * `npm run lives -- hour | month [--days 30] [--per-day 1000]`: what the tests of `provider/` run
 * for shorter, on virtual time. Ends with 1 where a promise is broken.
 */

const mebibyte = 1024 * 1024;
const usage = 'lives: hour, or month [--days 1 to 366] [--per-day 1 to 10000]\n';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      days: { type: 'string', default: '30' },
      'per-day': { type: 'string', default: '1000' },
    },
  });
  const [days, perDay] = [Number(values.days), Number(values['per-day'])];
  const isGood = isCount(days, 366) && isCount(perDay, 10_000) && positionals.length === 1;
  if (isGood && positionals[0] === 'hour') tell(liveHour());
  else if (isGood && positionals[0] === 'month') tell(await liveMonth(days, perDay));
  else {
    process.stderr.write(usage);
    process.exitCode = 64;
  }
}

interface Verdict {
  readonly figures: Readonly<Record<string, unknown>>;
  /** Promises, and whether they were kept. */
  readonly promises: Readonly<Record<string, boolean>>;
}

function liveHour(): Verdict {
  const figures = download(3_600_000);
  const { sentBytes, paidBytes, isWhole, longestSilence, identities } = figures;
  const promises = {
    'everything arrived': isWhole,
    '99 % are paid': paidBytes >= 0.99 * sentBytes,
    'no silence is longer than half a second': longestSilence <= 500,
    'one connection lived': identities === 1,
  };
  return { figures: { ...figures }, promises };
}

async function liveMonth(days: number, perDay: number): Promise<Verdict> {
  let number = 0;
  const onDay = ({ consumers, booksBytes, heapBytes }: Day): void => {
    const heap = (heapBytes / mebibyte).toFixed(1);
    const line = `day ${++number}: ${consumers} there, books ${booksBytes} bytes, heap ${heap} MiB`;
    process.stdout.write(`${line}, processor ${process.cpuUsage().user / 1e6} s\n`);
  };
  const { days: all, ...figures } = await liveLong({ days, perDay, dayMs: 86_400_000, onDay });
  const promises = {
    'nothing is counted twice': figures.overcounted === 0,
    'no id is made twice': figures.ids.repeated === 0,
    'nine of ten get every answer': figures.answered > 0.9 * figures.asked,
    'nine of ten bytes are told': figures.toldBytes > 0.9 * figures.carriedBytes,
    'nothing is held of those who are gone': findGrowth(all, perDay).length === 0,
  };
  return { figures: { ...figures, held: all.at(-1)?.held }, promises };
}

function tell({ figures, promises }: Verdict): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  for (const [promise, isKept] of Object.entries(promises))
    process.stdout.write(`${isKept ? 'kept' : 'BROKEN'}: ${promise}\n`);
  if (Object.values(promises).includes(false)) process.exitCode = 1;
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

await main();
