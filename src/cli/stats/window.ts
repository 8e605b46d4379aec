import { refuse } from '../refuse.ts';

/** What a device keeps of itself; what a service keeps, or allows, is for the service to say. */
const mostYears = 20;
const unitHours: Readonly<Record<string, number>> = { h: 1, d: 24, y: 365 * 24 };

/** Hours of `24h`, `90d`, `2y`. @throws usage-invalid */
export function parseWindowHours(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})(h|d|y)$/.exec(text) ?? [];
  const hours = Number(count) * (unitHours[unit] ?? 0);
  if (hours > 0 && hours <= mostYears * 365 * 24) return hours;
  const allowed = `hours or days such as 24h, 7d or 90d, or years such as 2y, at most ${mostYears}y`;
  throw refuse(`--last ${text}: it must be ${allowed}`);
}

/** A window as people say it: hours up to two days, beyond that whole days, or whole years. */
export function formatWindow(hours: number): string {
  if (hours % (365 * 24) === 0) return `${hours / (365 * 24)} y`;
  return hours > 48 && hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}

export const hourMs = 3_600_000;

/** The start of the hour that a time lies in, in ms. */
export function startOfHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}
