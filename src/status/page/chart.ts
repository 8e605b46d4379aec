import type { Figure } from './figures.ts';
import { type Html, html } from './html.ts';

/** One bar: ours, and the service's count as a line across it. */
interface Bar {
  /** When it is, for whoever points at it. */
  readonly label: string;
  /** undefined: nothing was kept. */
  readonly figure: Figure | undefined;
}

interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** The full height. */
  readonly most: number;
  readonly format: (value: number) => string;
  readonly summary: string;
}

const slotWidth = 10;
const barWidth = 7;
const height = 60;

/** A chart with its sums in words; the single figures are in the table beside it. */
export function renderChart(chart: Chart): Html {
  const { title, bars, most, format, summary } = chart;
  const width = bars.length * slotWidth;
  return html`<figure>
<figcaption><strong>${title}</strong> ${summary}</figcaption>
<p class="scale" aria-hidden="true">${format(most)}</p>
<svg class="chart" role="img" aria-label="${title}: ${summary}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
${bars.map((bar, index) => renderBar(bar, index, chart))}
</svg>
<p class="axis" aria-hidden="true"><span>${bars[0]?.label}</span><span>${bars.at(-1)?.label}</span></p>
</figure>`;
}

function renderBar({ label, figure }: Bar, index: number, { most, format }: Chart): Html {
  const x = index * slotWidth;
  if (figure === undefined) return html``;
  const tall = scaleHeight(figure.here, most);
  const service = figure.service === undefined ? undefined : height - scaleHeight(figure.service, most);
  const said = figure.service === undefined ? '' : `, ${format(figure.service)} by the service`;
  const lineY = service === undefined ? 0 : Math.min(height - 1, Math.max(1, service));
  return html`<g><title>${label}: ${format(figure.here)} here${said}</title>
<rect class="here" x="${x + (slotWidth - barWidth) / 2}" y="${formatShort(height - tall)}" width="${barWidth}" height="${formatShort(tall)}"/>${
    service === undefined
      ? undefined
      : html`<path class="service" d="M${x + 0.5} ${formatShort(lineY)}h${slotWidth - 1}" vector-effect="non-scaling-stroke"/>`
  }</g>
`;
}

function scaleHeight(value: number, most: number): number {
  if (value <= 0 || most <= 0) return 0;
  return Math.min(height, Math.max(1, (value / most) * height));
}

function formatShort(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A line of the last minutes; decoration beside a number, so not read out. */
export function renderSpark(values: readonly number[]): Html {
  const most = Math.max(...values, 1);
  const step = 100 / Math.max(1, values.length - 1);
  const points = values
    .map((value, index) => `${formatShort(index * step)},${formatShort(24 - (value / most) * 22)}`)
    .join(' ');
  return values.length < 2
    ? html``
    : html`<svg class="spark" aria-hidden="true" viewBox="0 0 100 25" preserveAspectRatio="none"><polyline points="${points}" vector-effect="non-scaling-stroke"/></svg>`;
}
