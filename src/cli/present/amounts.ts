import { formatBitrate as formatBitrateOf, formatBytes, formatSeconds, GIB } from '../../lib/units.ts';

/** What stands in a cell where nothing is known. */
export const unknown = '-';

/** GiB of the service as people read them: `1.50 MiB`; `-` where there is none. */
export function formatGib(gib: number | null): string {
  return gib === null ? unknown : formatBytes(Math.round(gib * GIB));
}

/** USDC: two digits behind the point, four below one, and never a zero that is none. */
export function formatUsdc(usdc: number | null): string {
  if (usdc === null) return unknown;
  if (usdc === 0) return '0 USDC';
  if (Math.abs(usdc) < 0.0001) return usdc > 0 ? '<0.0001 USDC' : '>-0.0001 USDC';
  return `${usdc.toFixed(Math.abs(usdc) < 1 ? 4 : 2)} USDC`;
}

/** An ISO 8601 time as its distance from now in one unit: `3 h ago`, `in 5 min`; what is no time stays as it is. */
export function formatAgo(time: string | null, now: Date): string {
  if (time === null) return unknown;
  const atMs = Date.parse(time);
  if (Number.isNaN(atMs)) return time;
  const seconds = (now.getTime() - atMs) / 1000;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${toLargestUnit(seconds)} ago` : `in ${toLargestUnit(-seconds)}`;
}

/** An ISO 8601 time to the minute, in UTC: `2026-03-14 15:09 UTC`; what is no time stays as it is. */
export function formatMoment(time: string | null): string {
  if (time === null) return unknown;
  const atMs = Date.parse(time);
  return Number.isNaN(atMs) ? time : `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Hours as `23 h 5 min`. */
export function formatHours(hours: number | null): string {
  return hours === null ? unknown : formatSeconds(hours * 3600);
}

/** A share between 0 and 1 as percent: one digit behind the point below ten. */
export function formatShare(share: number | null): string {
  if (share === null) return unknown;
  const percent = share * 100;
  return `${percent === 0 || percent >= 9.95 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}

/** Bytes a second as bits a second, decimal, as lines are sold: `12.3 Mbit/s`. */
export function formatBitrate(bytesPerSecond: number | null): string {
  return bytesPerSecond === null ? unknown : formatBitrateOf(bytesPerSecond);
}

/** A whole count. */
export function formatCount(count: number | null): string {
  return count === null ? unknown : String(count);
}

function toLargestUnit(seconds: number): string {
  const [, count = '0', unit = 's'] = /^(\d+) (\S+)/.exec(formatSeconds(seconds)) ?? [];
  return `${count} ${unit}`;
}
