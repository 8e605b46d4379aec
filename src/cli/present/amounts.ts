import * as units from '../../lib/units.ts';

/** What is shown for an unknown value. */
export const unknown = '-';

/**
 * The most that an amount can be on a network of devices; what is more, or below nothing, is no
 * measurement, and is shown as unknown. What a script reads is as the service said it.
 */
const most = {
  bytes: 1e18,
  gib: 1e9,
  usdc: 1e9,
  hours: 1e6,
  bytesPerSecond: 1e12,
  count: 1e12,
  share: 1e3,
};

/** Bytes that the service counted, for people: `1.50 MB`. */
export const formatByteCount = (bytes: number | undefined): string =>
  orUnknown(bytes, most.bytes, units.formatBytes);

/** The service's GiB for people: `1.50 MB`. */
export const formatGib = (gib: number | undefined): string =>
  orUnknown(gib, most.gib, (known) => units.formatBytes(Math.round(known * units.GIB)));

/** USDC for people. */
export const formatUsdc = (usdc: number | undefined): string =>
  orUnknown(usdc, most.usdc, units.formatUsdc);

/** Hours as `23 h 5 min`. */
export const formatHours = (hours: number | undefined): string =>
  orUnknown(hours, most.hours, (known) => units.formatSeconds(known * 3600));

/** Bytes per second as bits per second. */
export const formatBitrate = (bytesPerSecond: number | undefined): string =>
  orUnknown(bytesPerSecond, most.bytesPerSecond, units.formatBitrate);

/** A time in seconds as `23 h 5 min`. */
export const formatDuration = (seconds: number | undefined): string =>
  orUnknown(seconds, most.hours * 3600, units.formatSeconds);

/** A count of anything. */
export const formatCount = (count: number | undefined): string =>
  orUnknown(count, most.count, String);

/** A factor with two digits behind the point. */
export const formatMultiplier = (factor: number | undefined): string =>
  orUnknown(factor, most.share, (known) => known.toFixed(2));

/** A share between 0 and 1 in percent, with one digit behind the point below ten. */
export function formatShare(share: number | undefined): string {
  if (!isSensible(share, most.share)) return unknown;
  const percent = share * 100;
  return `${percent === 0 || percent >= 9.95 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}

/**
 * An ISO 8601 time as its distance from now in one unit: `3 h ago`, `in 5 min`. Other text is
 * returned unchanged.
 */
export function formatAgo(time: string | undefined, now: Date): string {
  const seconds = (now.getTime() - Date.parse(time ?? '')) / 1000;
  if (Number.isNaN(seconds)) return time ?? unknown;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${formatLargestUnit(seconds)} ago` : `in ${formatLargestUnit(-seconds)}`;
}

/**
 * An ISO 8601 time to the minute, in UTC: `2026-03-14 15:09 UTC`. Other text is returned unchanged.
 */
export function formatMoment(time: string | undefined): string {
  const iso = toTime(Date.parse(time ?? ''));
  return iso === undefined ? (time ?? unknown) : `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** ISO 8601; undefined also for a number that no date can have. */
export function toTime(unixMs = Number.NaN): string | undefined {
  const time = new Date(unixMs);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The share in brackets, to follow what it is a part of; '' if unknown. */
export function formatShareBehind(share: number | undefined): string {
  return share === undefined ? '' : ` (${formatShare(share)})`;
}

/** How a table's column formats what it reads: `{ ...asGib, title, read }`. */
export const asGib = { format: formatGib, align: 'right' } as const;
export const asUsdc = { format: formatUsdc, align: 'right' } as const;
export const asHours = { format: formatHours, align: 'right' } as const;
export const asShare = { format: formatShare, align: 'right' } as const;
export const asBitrate = { format: formatBitrate, align: 'right' } as const;
export const asAgo = { format: formatAgo, least: 9 } as const;
export const asMark = { title: '', format: (own: unknown) => (own === true ? '*' : ' ') } as const;
export const asFlag = { format: (own: unknown) => (own === true ? 'yes' : 'no') } as const;

function orUnknown(
  amount: number | undefined,
  limit: number,
  format: (known: number) => string,
): string {
  return isSensible(amount, limit) ? format(amount) : unknown;
}

function isSensible(amount: number | undefined, limit: number): amount is number {
  return amount !== undefined && amount >= 0 && amount <= limit;
}

function formatLargestUnit(seconds: number): string {
  const [, count = '0', unit = 's'] = /^(\d+) (\S+)/.exec(units.formatSeconds(seconds)) ?? [];
  return `${count} ${unit}`;
}
