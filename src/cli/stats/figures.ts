/** What a service counted of a device in a time; undefined where it says nothing. */
export interface Figures {
  readonly uptimeHours: number | undefined;
  readonly transferGib: number | undefined;
  readonly payoutUsdc: number | undefined;
  readonly searchInterest: number | undefined;
  readonly contracts: number | undefined;
  readonly consumers: number | undefined;
}

/** One day of a device. */
export interface DayStats extends Figures {
  /** `yyyy-mm-dd`, or whatever else the service goes by. */
  readonly day: string;
}

/** The sums of what is known. Consumers are left out: one that comes up in two rows would count twice. */
export function sumFigures(rows: readonly Figures[], wholeHours: number | undefined) {
  const sum = (name: keyof Figures) => sumKnown(rows.map((row) => row[name]));
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
