import { hourMs } from '../../../lib/units.ts';
import { refuseOption } from '../../frame/command.ts';
import { unknown } from '../../present/amounts.ts';

type FigureName = 'uptimeHours' | 'transferGib' | 'payoutUsdc' | 'searchInterest' | 'contracts';

/**
 * Sums of the known values. Consumers are left out, because one that is in two rows would count
 * twice.
 */
export function sumFigures(
  rows: readonly Readonly<Record<FigureName, number | undefined>>[],
  wholeHours: number | undefined,
) {
  const sum = (name: FigureName) => sumKnown(rows.map((row) => row[name]));
  const uptimeHours = sum('uptimeHours');
  return {
    uptimeHours,
    uptimeShare: divide(uptimeHours, wholeHours),
    transferGib: sum('transferGib'),
    payoutUsdc: sum('payoutUsdc'),
    searchInterest: sum('searchInterest'),
    contracts: sum('contracts'),
  };
}

/** The sum of the known values; undefined if none is known. */
export function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** A part as a share of the whole; undefined if one of them is unknown, or the whole is 0. */
export function divide(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}

/**
 * The values reduced to at most `room`: means of equally long stretches; undefined where no value
 * of a stretch is known.
 */
export function squeeze(
  values: readonly (number | undefined)[],
  room: number,
): readonly (number | undefined)[] {
  if (values.length <= room) return values;
  return Array.from({ length: room }, (_, index) => {
    const edges = [index, index + 1].map((own) => Math.floor((own * values.length) / room));
    const known = values.slice(...edges).filter((value) => value !== undefined);
    return divide(sumKnown(known), known.length);
  });
}

/** How long a device keeps its record. How long a service does is for the service to say. */
const mostYears = 20;
const unitHours: Readonly<Record<string, number>> = { h: 1, d: 24, y: 365 * 24 };

/** The hours of `24h`, `90d`, `2y`. @throws usage-invalid */
export function parseWindowHours(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})(h|d|y)$/.exec(text) ?? [];
  const hours = Number(count) * (unitHours[unit] ?? 0);
  if (hours > 0 && hours <= mostYears * 365 * 24) return hours;
  const allowed = `hours or days such as 24h, 7d or 90d, or years such as 2y, at most ${mostYears}y`;
  throw refuseOption('--last', text, allowed);
}

/** A window in words: hours up to two days, beyond that whole days or years. */
export function formatWindow(hours: number): string {
  if (!(hours > 0 && hours <= mostYears * 365 * 24)) return unknown;
  if (hours % (365 * 24) === 0) return `${hours / (365 * 24)} y`;
  return hours > 48 && hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}

/** The start of the hour that contains a time, in ms. */
export function startOfHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}
