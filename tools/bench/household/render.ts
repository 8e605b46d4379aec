export interface Row {
  readonly name: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** A table in Markdown for each group of rows that have the same figures. */
export function renderTable(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ figures }) => Object.keys(figures).join('|'));
  return [...groups.entries()]
    .map(([key, own]) => {
      const names = key.split('|');
      return [
        `| Mbit/s, ms | ${names.join(' | ')} |`,
        `|---|${names.map(() => '---:').join('|')}|`,
        ...own.map(
          ({ name, figures }) =>
            `| ${name} | ${names.map((each) => format(figures[each])).join(' | ')} |`,
        ),
        '',
      ].join('\n');
    })
    .join('\n');
}

function format(value = Number.NaN): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

const bars = ' ▁▂▃▄▅▆▇█';

/** Two lines of bars, one for each second, the tallest for `most` Mbit/s. */
export function renderPlot(
  name: string,
  { share, household }: Readonly<Record<'share' | 'household', readonly number[]>>,
  most: number,
): string {
  const draw = (values: readonly number[]) =>
    values.map((value) => bars[Math.min(8, Math.round((value / most) * 8))] ?? ' ').join('');
  return `${name}, second by second\n  household ${draw(household)}\n  share     ${draw(share)}\n`;
}
