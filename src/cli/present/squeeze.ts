/** The values as at most `room` ones: the mean of each of as many equal stretches; undefined where nothing is known. */
export function squeeze(values: readonly (number | undefined)[], room: number): readonly (number | undefined)[] {
  if (values.length <= room) return values;
  return Array.from({ length: room }, (_, index) => {
    const start = Math.floor((index * values.length) / room);
    const end = Math.floor(((index + 1) * values.length) / room);
    return findMean(values.slice(start, end));
  });
}

function findMean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}
