const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** Values over time as one line, a character each; the tallest is `most`, and an undefined value leaves a blank. */
export function renderSparkline(values: readonly (number | undefined)[], most: number): string {
  return values.map((value) => chooseHeight(value, most)).join('');
}

/** A bar of at most `width` characters for a value between 0 and `most`; any value above zero shows. */
export function renderBar(value: number, most: number, width: number): string {
  const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
  const parts = share === 0 ? 0 : Math.max(1, Math.round(share * width * 8));
  return `${'█'.repeat(Math.floor(parts / 8))}${eighths[parts % 8]}`;
}

function chooseHeight(value: number | undefined, most: number): string {
  if (value === undefined) return ' ';
  const step = most > 0 ? Math.floor((value / most) * heights.length) : 0;
  return heights[Math.min(heights.length - 1, Math.max(0, step))] ?? ' ';
}
