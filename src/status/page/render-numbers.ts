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
      typeof note === 'object' ? note : html`<span class="note">${keepTogether(note)}</span>`,
    )}</dd></div>
`;
}

/** No line of a narrow card ends between a number and its %, or a day and its month. */
function keepTogether(text = ''): Html {
  const [first, ...more] = text.split(/(?<=\d) (?=%|[A-Z][a-z]{2}\b)/);
  return html`${first}${more.map((part) => html`&nbsp;${part}`)}`;
}

function renderEarned(view: View): Html {
  const { earned, provided } = view.document;
  const title = 'Earned in 24 hours';
  const due = provided?.unpaidBytes ?? undefined;
  const unpaid = due === undefined ? '' : `${formatBytes(due)} of all your devices not paid yet`;
  if (earned === null) return renderCard(title, '–', 'No figures from the service yet', unpaid);
  const { last24hUsdc, monthUsdc, totalUsdc, totalSince } = earned;
  const month = monthUsdc === null ? '' : `${formatUsdc(monthUsdc)} this month`;
  const total =
    totalUsdc === null || totalSince === null
      ? ''
      : `${formatUsdc(totalUsdc)} since ${formatDayOfYear(new Date(totalSince), view)}`;
  const estimate = html`<span class="note">the service's estimate, ${renderMoment(new Date(earned.at), view)}</span>`;
  return renderCard(title, formatUsdc(last24hUsdc), month, total, unpaid, estimate);
}

/** With the year where it is another one. */
function formatDayOfYear(day: Date, { clock, now }: View): string {
  const year = day.getUTCFullYear();
  return `${clock.formatDay(day)}${year === now.getUTCFullYear() ? '' : ` ${year}`}`;
}

/**
 * Who is served now: consumers where a source can tell them apart, otherwise connections. Nothing
 * before either is known.
 */
function renderConsumers({ document, serviceFigures }: View): Html {
  const counted = document.sources.flatMap(({ consumers }) => consumers?.present ?? []);
  const lately = serviceFigures?.consumers;
  const byService =
    lately === undefined ? '' : `${formatCount(lately)} consumers in the last 24 hours`;
  const open = document.phase === 'providing' ? document.gateway.connections : 0;
  if (counted.length > 0) {
    const present = counted.reduce((sum, own) => sum + own, 0);
    const connections = open === null ? '' : `${formatCount(open)} connections`;
    return renderCard('Consumers now', formatCount(present), connections, byService);
  }
  if (open === null && lately === undefined) return html``;
  return renderCard('Connections now', open === null ? '–' : formatCount(open), byService);
}

function renderShared({ past, document, clock }: View): Html {
  const { usage } = document;
  if (past !== undefined) {
    const month = `${formatBytes(past.month.here)} this month`;
    const byService = describeServiceCount(past.month);
    const until = `counted until ${clock.formatClock(past.readAt)}`;
    return renderCard('Shared today', formatBytes(past.today), month, byService, until);
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
  const others = `${formatCount(sum(refused) - inside)} more refused for other reasons`;
  return renderCard('Kept out', formatCount(inside), 'packets into your network', others);
}

/** `1,204`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
