/** The known name that `name` was most likely meant to be; undefined where none is close. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: measureDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  const { candidate = '', distance = 0 } = ranked[0] ?? {};
  const most = Math.max(1, Math.floor(Math.min(name.length, candidate.length) / 3));
  return distance <= most ? ranked[0]?.candidate : undefined;
}

/** Letters to add, remove, replace or swap with a neighbour until one text is the other. */
function measureDistance(one: string, other: string): number {
  // A name far longer than any key is no misspelling, and comparing it is wasted work.
  if (one.length > 200) return one.length;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        at(rows, row - 1, column) + 1,
        (current[column - 1] ?? 0) + 1,
        at(rows, row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(rows, row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(current);
  }
  return at(rows, one.length, other.length);
}

function at(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] ?? 0;
}
