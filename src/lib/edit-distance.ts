/**
 * No known name is nearly as long: a longer one is no misspelling, and comparing it is wasted work.
 */
const longestName = 200;

/** The known name that `name` was most likely meant to be; undefined where none is close. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  const [nearest] = known
    .map((candidate) => ({
      candidate,
      distance: countEdits(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .sort((one, other) => one.distance - other.distance);
  const { candidate = '', distance = 0 } = nearest ?? {};
  const most = Math.max(1, Math.floor(Math.min(name.length, candidate.length) / 3));
  return distance <= most ? nearest?.candidate : undefined;
}

/**
 * How many letters to add, remove, replace or swap until the texts are equal; a number above `most`
 * where it takes more.
 */
export function countEdits(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  // Each letter that the other text lacks takes at least one edit.
  let missing = 0;
  for (const letter of one) {
    if (!other.includes(letter)) missing += 1;
    if (missing > most) return most + 1;
  }
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 0; index < one.length; index += 1) {
    const row = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[index] === other[column - 1];
      const isSwapped =
        index > 0 && one[index] === other[column - 2] && one[index - 1] === other[column - 1];
      const replaced = at(last, column - 1) - Number(isSame);
      const swapped = isSwapped ? at(beforeLast, column - 2) : replaced;
      row.push(Math.min(at(last, column), at(row, column - 1), replaced, swapped) + 1);
    }
    // No later row can have a smaller number.
    if (Math.min(...row) > most) return most + 1;
    [beforeLast, last] = [last, row];
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
