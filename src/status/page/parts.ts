import { createHash } from 'node:crypto';
import { isMeasured, renderThroughput } from './chart.ts';
import { type Html, html } from './html.ts';
import { renderOrders } from './render-controls.ts';
import { renderNumbers } from './render-numbers.ts';
import { renderRange, renderRanges, renderTable, renderUptime } from './render-past.ts';
import { renderConnection, renderEvents, renderRefused } from './render-rest.ts';
import { renderState } from './render-state.ts';
import type { View } from './view.ts';

/** The parts of the page. When one changes, it is replaced as a whole. */
const parts = {
  orders: renderOrders,
  state: renderState,
  throughput: renderThroughput,
  numbers: renderNumbers,
  uptime: renderUptime,
  ranges: renderRanges,
  hours: (view) => renderRange(view, 'hours'),
  days: (view) => renderRange(view, 'days'),
  months: (view) => renderRange(view, 'months'),
  'hours-table': (view) => renderTable(view, 'hours'),
  'days-table': (view) => renderTable(view, 'days'),
  'months-table': (view) => renderTable(view, 'months'),
  events: renderEvents,
  refused: renderRefused,
  connection: renderConnection,
  zone: ({ clock, now }) =>
    html`Times are those of ${clock.zoneAt(now)}.<span id="tomorrow" data-at="${clock.startOfDay(now, 1)}"></span>`,
} satisfies Record<string, (view: View) => Html>;

export type PartName = keyof typeof parts;

export const partNames = Object.keys(parts) as readonly PartName[];

/** A part with a tag, by which the script knows whether it has changed. */
export function renderPart(name: PartName, view: View): Html {
  const role = name === 'state' ? html` role="status"` : undefined;
  return html`<div id="live-${name}" data-live="${tagPart(name, view)}"${role}>${parts[name](view)}</div>`;
}

/**
 * The tag of a part, which changes with what the part shows. Figures and lines of the live chart
 * are sent separately, so its tag only changes when it appears.
 */
export function tagPart(name: PartName, view: View): string {
  if (name === 'throughput') return isMeasured(view) ? 'shown' : 'none';
  return createHash('sha1').update(parts[name](view).html).digest('base64url').slice(0, 8);
}
