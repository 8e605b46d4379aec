const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
export const GIB = 1024 ** 3;

/** Bytes for people: three significant digits and a binary unit, `1.50 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be rounded to four digits, which three significant ones write as 1.00e+3.
  while (value >= (unit === 0 ? 1000 : 999.5) && unit < byteUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 ? String(value) : value >= 999.5 ? value.toFixed(0) : value.toPrecision(3);
  return `${digits} ${byteUnits[unit]}`;
}

/** Bytes a second as bits a second, decimal, as lines are sold: `12.3 Mbit/s`. */
export function formatBitrate(bytesPerSecond: number): string {
  const bits = bytesPerSecond * 8;
  const [factor, unit] = bits >= 1e9 ? [1e9, 'Gbit/s'] : bits >= 1e6 ? [1e6, 'Mbit/s'] : [1e3, 'kbit/s'];
  const value = bits / factor;
  return `${value === 0 ? '0' : value >= 99.5 ? value.toFixed(0) : value.toPrecision(3)} ${unit}`;
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

/** Seconds of a duration such as `90s`, `30m`, `2h`, `1d`; undefined when it is not one. */
export function parseDurationSeconds(text: string): number | undefined {
  const match = /^(\d{1,9})\s*(s|m|min|h|d)$/.exec(text.trim());
  const factor = match?.[2] === undefined ? undefined : durationUnits[match[2]];
  return factor === undefined ? undefined : Number(match?.[1]) * factor;
}
