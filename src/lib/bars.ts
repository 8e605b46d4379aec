const heights = '▁▂▃▄▅▆▇█';
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/**
 * Values over time as one line, a character each; the tallest is `most`, and an undefined value
 * leaves a blank.
 */
export function renderSparkline(values: readonly (number | undefined)[], most: number): string {
  const toHeight = (value: number) =>
    heights.charAt(Math.min(7, Math.floor(toShare(value, most) * 8)));
  return values.map((value) => (value === undefined ? ' ' : toHeight(value))).join('');
}

/**
 * A bar of at most `width` characters for a value between 0 and `most`; any value above zero shows.
 */
export function renderBar(value: number, most: number, width: number): string {
  const share = toShare(value, most);
  const parts = share === 0 ? 0 : Math.max(1, Math.round(share * width * 8));
  return `${'█'.repeat(Math.floor(parts / 8))}${eighths[parts % 8]}`;
}

/** The value as a share of `most`, between 0 and 1. */
function toShare(value: number, most: number): number {
  return most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
}
