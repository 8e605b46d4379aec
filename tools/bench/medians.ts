/**
 * The middle value; of an even number the upper of the two in the middle. NaN without any value.
 */
export function computeMedian(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** One figure over another, to two digits. */
export function computeRatio(one: number, other: number): number {
  return Number((one / other).toFixed(2));
}
