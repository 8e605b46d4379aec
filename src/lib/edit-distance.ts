/** Letters to add, remove, replace or swap with a neighbour until one text is the other. */
export function countEdits(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = Math.min(at(row - 1, column), at(row, column - 1), at(row - 1, column - 1) - (isSame ? 1 : 0)) + 1;
      current.push(isSwapped ? Math.min(edits, at(row - 2, column - 2) + 1) : edits);
    }
  }
  return at(one.length, other.length);
}
