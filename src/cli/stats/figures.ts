/** What a service counted of a device in a time. */
type FigureName = 'uptimeHours' | 'transferGib' | 'payoutUsdc' | 'searchInterest' | 'contracts';

/** The sums of what is known. Consumers are left out: one that comes up in two rows would count twice. */
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
