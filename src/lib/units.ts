/** Lengths of time in milliseconds. A day of a time zone may be an hour shorter or longer. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The unit in which the service counts data, in bytes. */
export const GIB = 1024 ** 3;
/** The least and the highest speed limit that may be set, in bits per second. */
export const [leastBitRate, mostBitRate] = [64e3, 100e9];

/**
 * Bytes for people: three significant digits and a decimal unit, as disks and tariffs are sold:
 * `1.50 MB`.
 */
export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : formatScaled(bytes / 1000, ['kB', 'MB', 'GB', 'TB', 'PB']);
}

/** Bytes a second as bits a second, as lines are sold: `12.3 Mbit/s`. */
export function formatBitrate(bytesPerSecond: number): string {
  return formatScaled((bytesPerSecond * 8) / 1000, ['kbit/s', 'Mbit/s', 'Gbit/s']);
}

/** USDC for people: `0.0084 USDC`, `12.50 USDC`. An amount above nothing is never shown as zero. */
export function formatUsdc(usdc: number): string {
  const amount = Math.abs(usdc);
  if (amount === 0) return '0 USDC';
  // The currency itself has six digits behind the point.
  if (amount < 1e-6) return usdc > 0 ? '<0.000001 USDC' : '>-0.000001 USDC';
  if (amount >= 0.99995) return `${usdc.toFixed(2)} USDC`;
  // As a rule four digits behind the point; a tiny amount gets as many as show two digits of it.
  const digits = amount >= 0.001 ? 4 : Math.min(6, 1 - Math.floor(Math.log10(amount)));
  return `${usdc.toFixed(digits)} USDC`;
}

function formatScaled(value: number, units: readonly string[]): string {
  let scaled = value;
  let unit = 0;
  // 999.5 would be rounded to 1000, which three significant digits write as 1.00e+3.
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  const digits = scaled === 0 ? '0' : scaled >= 999.5 ? scaled.toFixed(0) : scaled.toPrecision(3);
  return `${digits} ${units[unit]}`;
}

/** A duration for people: the two largest units, `3 h 5 min`, `12 s`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(whole / 86400), 'd'],
    [Math.floor((whole % 86400) / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

const durationUnits: Record<string, number> = { s: 1, m: 60, min: 60, h: 3600, d: 86400 };

/**
 * The seconds of a duration such as `90s`, `30m`, `2h`, `1d` or, as `formatSeconds` writes it,
 * `3 h 5 min`; undefined for any other text.
 */
export function parseDurationSeconds(text: string): number | undefined {
  if (!/^(\s*\d{1,9}\s*(s|m|min|h|d)){1,4}$/.test(text.trimEnd())) return undefined;
  const parts = text.matchAll(/(\d+)\s*([a-z]+)/g);
  return [...parts].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (durationUnits[unit] ?? Number.NaN),
    0,
  );
}
