import { TributaryError } from '../../lib/errors.ts';

/** Ten years: what a service keeps, or allows, is its own affair. */
const mostHours = 87_600;

/** Hours of `24h`, `90d`. @throws usage-invalid */
export function parseWindowHours(text: string): number {
  const [, count = '', unit] = /^([1-9]\d{0,4})(h|d)$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  if (hours > 0 && hours <= mostHours) return hours;
  const allowed = `hours or days such as 24h, 7d or 90d, at most ${mostHours / 24}d`;
  throw new TributaryError('usage-invalid', `--last ${text}: it must be ${allowed}`);
}

/** A window as people say it: hours up to two days, beyond that whole days. */
export function formatWindow(hours: number): string {
  return hours > 48 && hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}

/** What is known of the values added up; null where nothing is. */
export function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
