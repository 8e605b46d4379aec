import { leastBitRate, mostBitRate } from '../lib/units.ts';
import { textLike } from './values.ts';

// Every message says what is allowed, so that it fits after "allowed:" in an error line.

const decimalFactors = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 };
const byteFactors = {
  ...decimalFactors,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};
const rateFactors = { kbit: 1e3, Mbit: 1e6, Gbit: 1e9, kbps: 1e3, Mbps: 1e6, Gbps: 1e9 };

/** An amount of data, such as `500 GB` or `1.5 TiB`; it becomes bytes. */
export const dataSize = amount(
  'an amount of data with its unit, such as "500 GB" or "1.5 TiB"',
  byteFactors,
).refine((bytes) => bytes <= Number.MAX_SAFE_INTEGER, 'at most "8000 TiB"');

/** An amount of data above zero; it becomes bytes. */
export const byteAmount = dataSize.refine(
  (bytes) => bytes >= 1,
  'more than nothing; to share no data at all set provide.mode to "none"',
);

/** A rate of 64 kbit to 100 Gbit per second, such as `20 Mbit`; it becomes bits per second. */
export const bitRate = amount(
  'a rate with its unit, such as "20 Mbit" or "500 kbit" (per second)',
  rateFactors,
).refine(
  (rate) => rate >= leastBitRate && rate <= mostBitRate,
  'a rate from "64 kbit" to "100 Gbit"',
);

/**
 * A number and one of the units, in small or large letters; it becomes a whole number of the
 * smallest unit. A rate may be written as the program prints it: `20 Mbit/s`.
 */
function amount(allowed: string, factors: Readonly<Record<string, number>>) {
  const units = Object.keys(factors).map(inAnyLetters).join('|');
  const perSecond = 'kbit' in factors ? '(?:/s)?' : '';
  const pattern = new RegExp(`^(\\d+(?:\\.\\d+)?)\\s*(${units})${perSecond}$`);
  const factorOf = new Map(
    Object.entries(factors).map(([unit, factor]) => [unit.toLowerCase(), factor]),
  );
  return textLike(pattern, allowed).transform((text) => {
    const [, count, unit = ''] = pattern.exec(text) ?? [];
    return Math.round(Number(count) * (factorOf.get(unit.toLowerCase()) ?? Number.NaN));
  });
}

/** The unit as a pattern that the published schema can hold, too, because it has no flags. */
function inAnyLetters(unit: string): string {
  return unit.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}
