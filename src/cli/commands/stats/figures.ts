import { hourMs } from '../../../lib/units.ts';
import { refuseOption } from '../../frame/command.ts';

type FigureName = 'uptimeHours' | 'transferGib' | 'payoutUsdc' | 'searchInterest' | 'contracts';

/**
 * The sums of what is known. Consumers are left out: one that comes up in two rows would count
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

/** What is known of the values added up; undefined where nothing is. */
export function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** A part as a share of the whole; undefined where one of them is not known, or the whole is 0. */
export function divide(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}

/**
 * The values as at most `room` ones: the mean of each of as many equal stretches; undefined where
 * nothing is known.
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

/** What a device keeps of itself; what a service keeps, or allows, is for the service to say. */
const mostYears = 20;
const unitHours: Readonly<Record<string, number>> = { h: 1, d: 24, y: 365 * 24 };

/** Hours of `24h`, `90d`, `2y`. @throws usage-invalid */
export function parseWindowHours(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})(h|d|y)$/.exec(text) ?? [];
  const hours = Number(count) * (unitHours[unit] ?? 0);
  if (hours > 0 && hours <= mostYears * 365 * 24) return hours;
  const allowed = `hours or days such as 24h, 7d or 90d, or years such as 2y, at most ${mostYears}y`;
  throw refuseOption('--last', text, allowed);
}

/** A window as people say it: hours up to two days, beyond that whole days, or whole years. */
export function formatWindow(hours: number): string {
  if (hours % (365 * 24) === 0) return `${hours / (365 * 24)} y`;
  return hours > 48 && hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}

/** The start of the hour that a time lies in, in ms. */
export function startOfHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}
