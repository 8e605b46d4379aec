import type { Tone } from '../../health/phase-traits.ts';
import { formatBitrate, formatBytes } from '../../lib/units.ts';
import { describeYielding } from '../text.ts';
import { type Html, html } from './html.ts';
import type { View } from './view.ts';

/** One bar of a chart: both directions, and the words shown when it is pointed at. */
export type Bar = Readonly<Record<'label' | 'words', string> & Record<'up' | 'down', number>>;

/**
 * A round number that is at least as large, and whose half is round too: 1, 2, 4, 6, 8 or 10 times
 * a power of ten.
 */
export function chooseTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return ([1, 2, 4, 6, 8].find((step) => step * power >= most) ?? 10) * power;
}

/**
 * Bars with a round scale and at most so many labels. Lengths are in percent, so nothing is
 * stretched on a wide screen.
 */
export function renderBars(bars: readonly Bar[], summary: string, labels: number): Html {
  const top = chooseTop(Math.max(...bars.map(({ up, down }) => up + down), 1000));
  const every = Math.ceil(bars.length / labels);
  const width = 100 / Math.max(bars.length, 6);
  const drawn = bars.map(({ up, down, words }, index) => {
    const [upTall, downTall] = [(up / top) * 100, (down / top) * 100];
    const place = { x: (index + 0.12) * width, width: width * 0.76 };
    const upBar = renderBar({ ...place, kind: 'up', y: 100 - upTall, height: upTall });
    const downY = 100 - upTall - downTall;
    const downBar = renderBar({ ...place, kind: 'down', y: downY, height: downTall });
    return html`<g><title>${words}</title>${upBar}${downBar}</g>\n`;
  });
  const names = bars.map(({ label }, index) =>
    index % every === 0
      ? html`<text x="${round((index + 0.5) * width)}%" y="75%">${label}</text>`
      : html``,
  );
  const picture = html`role="img" aria-label="${summary}"`;
  return html`${renderScale(
    html`<span>${formatTick(formatBytes(top))}</span>`,
    html`<span>${formatTick(formatBytes(top / 2))}</span>`,
  )}
<svg class="bars" data-count="${Math.max(bars.length, 6)}" ${picture}>${lines}
${drawn}</svg>
<svg class="axis" aria-hidden="true">${names}</svg>`;
}

/** Lines across the picture at the top and at the half. */
const lines = html`<line x2="100%"/><line x2="100%" y1="50%" y2="50%"/>`;

/** The words beside these lines, and zero. */
function renderScale(top: Html, half: Html): Html {
  return html`<p class="scale" aria-hidden="true">${top}${half}<span>0</span></p>`;
}

interface BarPlace {
  readonly kind: 'up' | 'down';
  /** All in percent of the picture. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function renderBar({ kind, x, y, width, height }: BarPlace): Html {
  const corner = html`x="${round(x)}%" y="${round(y)}%"`;
  const size = html`width="${round(width)}%" height="${round(height)}%"`;
  return html`<rect class="${kind}" ${corner} ${size}/>`;
}

/** A box for each day, filled as far as the device provided. `level` decides its colour. */
export function renderStrip(
  boxes: readonly { readonly share: number | undefined; readonly words: string }[],
  summary: string,
): Html {
  const width = 100 / boxes.length;
  const drawn = boxes.map(({ share, words }, index) => {
    const level = chooseLevel(share);
    // A day with a part missing is also lower, so that its colour is not the only sign.
    const tall = level === 'warning' ? Math.round(30 + (share ?? 0) * 60) : 100;
    const corner = html`x="${round((index + 0.1) * width)}%" y="${100 - tall}%"`;
    const size = html`width="${round(width * 0.8)}%" height="${tall}%"`;
    const box = html`<rect class="${level}" ${corner} ${size} rx="2"/>`;
    return html`<g><title>${words}</title>${box}</g>`;
  });
  const picture = html`role="img" aria-label="${summary}"`;
  return html`<svg class="strip" data-count="${boxes.length}" ${picture}>${drawn}</svg>`;
}

function chooseLevel(share: number | undefined): Tone | 'none' {
  if (share === undefined) return 'none';
  return share >= 0.95 ? 'good' : share >= 0.01 ? 'warning' : 'plain';
}

const stepWidth = 10;
const mostSteps = 58;
const height = 100;
/** With a lower top, any traffic would look like a lot. */
const leastBytesPerSecond = 12_500;

/**
 * Throughput of both directions in the last minutes: words and lines, by the ids of their elements.
 */
export function drawThroughput({ speed, speeds, stepMs, document, clock, now }: View) {
  const topBits = chooseTop(
    8 * Math.max(...speeds.flatMap(({ up, down }) => [up, down]), leastBytesPerSecond),
  );
  const formatSpeed = (direction: 'up' | 'down') =>
    speed === undefined ? '…' : formatBitrate(speed[direction]);
  // What there is fills the picture, so that minutes not yet measured do not look like silence.
  const steps = Math.max(1, speeds.length - 1);
  const wide = Math.round((mostSteps * stepWidth * 100) / steps) / 100;
  const draw = (direction: 'up' | 'down') => {
    const heights = speeds.map((own) =>
      Math.round(height - (own[direction] * 8 * height) / topBits),
    );
    const [first = height] = heights;
    const lines = heights.slice(1).map((y, index) => `l${wide} ${y - (heights[index] ?? 0)}`);
    // The area begins and ends below the picture, where its sides are not seen.
    return `M-9 ${height + 9}V${first}h9${lines.join('')}h9V${height + 9}`;
  };
  return {
    'speed-up': formatSpeed('up'),
    'speed-down': formatSpeed('down'),
    yielding: describeYielding(document.provide, (time) => clock.formatMoment(time, now)),
    'scale-top': formatTick(formatBitrate(topBits / 8)),
    'scale-half': formatTick(formatBitrate(topBits / 16)),
    'speed-since': `${Math.max(1, Math.round((steps * stepMs) / 60_000))} min ago`,
    'line-up': draw('up'),
    'line-down': draw('down'),
  };
}

/** False before anything was measured. */
export function isMeasured({ speed, speeds }: View): boolean {
  return speed !== undefined && speeds.length > 1;
}

/** The live chart; empty before anything was measured. */
export function renderThroughput(view: View): Html {
  if (!isMeasured(view)) return html``;
  const drawn = drawThroughput(view);
  // The script puts a fresh value into the element whose id is the value's name.
  const value = (id: keyof typeof drawn) => html`id="${id}">${drawn[id]}`;
  const up = html`<b class="up" aria-hidden="true">↑</b> <b ${value('speed-up')}</b>`;
  const down = html`<b class="down" aria-hidden="true">↓</b> <b ${value('speed-down')}</b>`;
  const size = html`viewBox="0 0 ${mostSteps * stepWidth} ${height}" preserveAspectRatio="none"`;
  const areas = (['up', 'down'] as const).map(
    (way) => html`<path class="${way}" id="line-${way}" d="${drawn[`line-${way}`]}"/>`,
  );
  const label = 'Throughput of the last minutes, both directions';
  return html`<p class="speeds row">${joinWords([
    html`<span>${up} to the Internet</span>`,
    html`<span>${down} back to consumers</span>`,
    html`<span class="note" ${value('yielding')}</span>`,
  ])}</p>
<div class="plot">${renderScale(
    html`<span ${value('scale-top')}</span>`,
    html`<span ${value('scale-half')}</span>`,
  )}
<svg class="live" role="img" aria-label="${label}">${lines}<svg ${size}>${areas}</svg></svg>
<p class="ends row" aria-hidden="true"><span ${value('speed-since')}</span><span>now</span></p></div>`;
}

function joinWords(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? '' : ' '}${part}`)}`;
}

/** Shortens `2.00 GB` to `2 GB`. */
function formatTick(text: string): string {
  return text.replace(/\.(\d*?)0+ /, (_, digits: string) => (digits === '' ? ' ' : `.${digits} `));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
