import { toPlainText } from '../../lib/plain-text.ts';
import type { ServiceCommand } from '../command.ts';
import { formatBitrate, formatCount, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { joinLines, joinSections } from '../present/text.ts';
import {
  findProviders,
  type ProvidersOptions,
  type ProvidersView,
  type ProviderView,
  providersFlags,
} from './find-providers.ts';

/** `tributary network providers`. */
export const providers: ServiceCommand<ProvidersView, ProvidersOptions> = {
  usage: 'providers [place...]',
  description: 'providers that can be used now, the best first; anywhere, or in a place',
  options: providersFlags,
  examples: {
    'tributary network providers': 'the best anywhere',
    'tributary network providers germany --count 5': 'the best five of a country',
    'tributary network providers berlin --ids': 'ids only, one a line',
  },
  async run(session, given, context) {
    const view = await findProviders(session, given);
    // What is no id has to stay out of a list that a script reads.
    if (given.options.ids === true && given.options.json !== true) context.stderr.write(renderNotes(view));
    return view;
  },
  async render(view, terminal, { ids }) {
    if (ids === true) return joinLines(view.providers.map(({ clientId }) => toPlainText(clientId ?? unknown)));
    return joinSections([renderNotes(view), await renderTable(columns, view.providers, terminal)]);
  },
};

/** What the words were taken for, and a word where nothing was found. */
function renderNotes({ place, providers: found }: ProvidersView): string {
  const [name = '', ...alsoFits] = [place?.name ?? '', ...(place?.alsoFits ?? [])].map(toPlainText);
  return joinLines([
    name !== '' && `In ${name} (${toPlainText(place?.type ?? 'place')})`,
    alsoFits.length > 0 && `Also called that: ${alsoFits.join('; ')}`,
    found.length === 0 && 'No provider is there just now. Where there are some: tributary network locations',
  ]);
}

const columns: readonly Column<ProviderView>[] = [
  { title: '#', read: ({ rank }) => formatCount(rank), align: 'right' },
  { title: 'Provider', read: ({ clientId }) => clientId, least: 8, isId: true },
  { title: 'Speed', read: (own) => formatBitrate(own.estimatedBytesPerSecond), align: 'right' },
  { bar: (own) => own.estimatedBytesPerSecond, width: 10, dropOrder: 1 },
  { title: 'Tier', read: ({ tier }) => formatCount(tier), align: 'right' },
  { title: 'Relays', read: ({ intermediaryIds: { length } }) => (length === 0 ? 'direct' : formatCount(length)) },
];
