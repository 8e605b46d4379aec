import { describeMarket, tabulateCarried } from '../describe-market.ts';
import { type Html, html, renderMoment } from './html.ts';
import { formatCount } from './render-numbers.ts';
import type { View } from './view.ts';

/** Whether consumers find this device, by each source that has a list, as rows of phrases. */
export function listMarketRows(view: View): readonly (readonly [string, readonly Html[]])[] {
  const moment = (time: string) => renderMoment(new Date(time), view);
  return view.document.sources.flatMap(({ name, market }) => {
    if (market === null) return [];
    const phrases = describeMarket(market, { count: formatCount, moment });
    const said = phrases.filter((phrase) => phrase !== '').map((phrase) => toHtml(phrase));
    return [[`Listed by ${name}`, said] as const];
  });
}

function toHtml(phrase: string | Html | readonly [string, Html]): Html {
  if (typeof phrase === 'string') return html`${phrase}`;
  return 'html' in phrase ? phrase : html`${phrase[0]} ${phrase[1]}`;
}

/** What became of what each source carried for its consumers. */
export function renderCarried({ document }: View): Html | undefined {
  const tables = document.sources.flatMap(({ name, consumers }) =>
    consumers === null ? [] : [renderTable(name, tabulateCarried(consumers))],
  );
  return tables.length === 0 ? undefined : html`${tables}`;
}

function renderTable(name: string, rows: ReturnType<typeof tabulateCarried>): Html {
  return html`<table><thead><tr><th scope="col">Traffic by ${name}</th><th scope="col">In all</th><th scope="col">This month</th></tr></thead>
<tbody>${rows.map(
    ({ words, total, month }) =>
      html`<tr><th scope="row">${words}</th><td>${total}</td><td>${month}</td></tr>\n`,
  )}</tbody></table>`;
}
