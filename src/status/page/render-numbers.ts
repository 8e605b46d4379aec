import { formatBytes, formatUsdc } from '../../lib/units.ts';
import { describeServiceCount } from './figures.ts';
import { type Html, html, renderMoment } from './html.ts';
import type { View } from './view.ts';

/** The figures that the owner looks for, the first two at the top of a phone. */
export function renderNumbers(view: View): Html {
  const cards = [renderEarned, renderCap, renderConsumers, renderShared, renderKeptOut];
  return html`<dl class="cards">
${cards.map((card) => card(view))}</dl>`;
}

function renderCard(
  title: string,
  figure: string,
  ...notes: readonly (string | Html | undefined)[]
): Html {
  return html`<div class="card"><dt>${title}</dt><dd><b>${figure}</b> ${notes
    .filter((note) => note !== undefined && note !== '')
    .map((note) =>
      typeof note === 'object' ? note : html`<span class="note">${note}</span>`,
    )}</dd></div>
`;
}

function renderEarned(view: View): Html {
  const { earned } = view.document;
  const title = 'Earned, last 24 hours';
  if (earned === null) return renderCard(title, '–', 'No figures from the service yet');
  const month = earned.monthUsdc === null ? '' : `${formatUsdc(earned.monthUsdc)} this month`;
  const estimate = html`<span class="note">the service's estimate, ${renderMoment(new Date(earned.at), view)}</span>`;
  return renderCard(title, formatUsdc(earned.last24hUsdc), month, estimate);
}

/** Who is served, as far as a source or the service tells; nothing where neither does. */
function renderConsumers({ document, serviceFigures }: View): Html {
  const counted = document.sources.flatMap(({ consumers }) => consumers?.present ?? []);
  const lately = serviceFigures?.consumers;
  if (counted.length > 0) {
    const present = counted.reduce((sum, own) => sum + own, 0);
    const byService = lately === undefined ? '' : `${formatCount(lately)} in the last 24 hours`;
    return renderCard('Consumers now', formatCount(present), byService);
  }
  if (lately === undefined) return html``;
  return renderCard('Consumers, last 24 hours', formatCount(lately), 'counted by the service');
}

function renderShared({ past, document, clock }: View): Html {
  const { usage } = document;
  if (past !== undefined) {
    const month = `${formatBytes(past.month.here)} this month`;
    const byService = describeServiceCount(past.month);
    return renderCard('Shared today', formatBytes(past.today), month, byService);
  }
  const start =
    usage.periodStart === null ? 'the start' : clock.formatDay(new Date(usage.periodStart));
  return renderCard(
    `${usage.counts === 'line' ? 'On your line' : 'Shared'} since ${start}`,
    formatBytes(usage.bytes),
  );
}

function renderCap({ document, clock }: View): Html {
  const { bytes, capBytes, counts, resetsAt, reachedAt } = document.usage;
  if (capBytes === null)
    return renderCard('Data cap', 'None', `${formatBytes(bytes)} in this period`);
  const percent = capBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / capBytes) * 100));
  return renderCard(
    'Data cap',
    `${percent} %`,
    html`<svg class="meter ${percent >= 100 ? 'warning' : 'up'}" aria-hidden="true"><rect width="${percent}%" height="100%" rx="4"/></svg>`,
    `${formatBytes(bytes)} of ${formatBytes(capBytes)}${counts === 'line' ? ' on your line' : ''}`,
    reachedAt === null ? '' : `at this pace reached on ${clock.formatDay(new Date(reachedAt))}`,
    resetsAt === null ? '' : `resets ${clock.formatDay(new Date(resetsAt))}`,
  );
}

const intoTheHome: ReadonlySet<string> = new Set([
  'own-network',
  'device-itself',
  'denied-destination',
]);

function renderKeptOut({ document }: View): Html {
  const refused = Object.entries(document.gateway.refusedPackets);
  const sum = (packets: readonly (readonly [string, number])[]) =>
    packets.reduce((total, [, more]) => total + more, 0);
  const inside = sum(refused.filter(([kind]) => intoTheHome.has(kind)));
  const others = `packets refused, ${formatCount(sum(refused) - inside)} for other reasons`;
  return renderCard('Kept out of your network', formatCount(inside), others);
}

/** `1,204`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
