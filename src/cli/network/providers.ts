import type { Command } from 'commander';
import { renderBar } from '../../lib/bars.ts';
import { toPlainText } from '../../status/wrap.ts';
import type { CommandContext } from '../context.ts';
import { formatBitrate, formatCount, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { addServiceCommand, type Paper } from '../service-command.ts';
import type { ChosenPlace } from './choose-place.ts';
import { type ProvidersOptions, readProviders } from './find-providers.ts';

/** Providers, the best first, as `network providers --json` shows them. */
export interface ProvidersView {
  /** What the words were taken for; null where there were none. */
  readonly place: ChosenPlace | null;
  readonly providers: readonly ProviderView[];
}

/** null where the service says nothing. */
export interface ProviderView {
  /** From 1. */
  readonly rank: number;
  readonly clientId: string | null;
  /** null where only ids were asked for. */
  readonly estimatedBytesPerSecond: number | null;
  /** As the service assigns it; null where only ids were asked for. */
  readonly tier: number | null;
  /** Relays on the way; none for a direct one. */
  readonly intermediaryIds: readonly string[];
}

/** Adds `tributary network providers`. */
export function registerProviders(group: Command, context: CommandContext): void {
  addServiceCommand<ProvidersView, ProvidersOptions>(group, context, {
    usage: 'providers [place...]',
    description: 'providers that can be used now, the best first; anywhere, or in a place',
    options: {
      '--location <id>': 'of this location, as `network locations` shows it',
      '--group <id>': 'of this location group',
      '--client <id>': 'this provider',
      '--count <number>': 'at most so many (default: 20)',
      '--exclude <id...>': 'leave these providers out; with --ids, these locations',
      '--ids': "print ids only, those of the own network's devices among them",
    },
    examples: {
      'tributary network providers': 'the best anywhere',
      'tributary network providers germany --count 5': 'the best five of a country',
      'tributary network providers berlin --ids': 'ids only, one a line',
    },
    run: async (session, given) => {
      const view = await readProviders(session, given);
      // What is no id has to stay out of a list that a script reads.
      if (given.options.ids === true && given.options.json !== true) context.stderr.write(renderNotes(view));
      return view;
    },
    render: renderProviders,
  });
}

/** The table, or with `--ids` an id a line. */
function renderProviders(view: ProvidersView, { columns }: Paper, { ids }: ProvidersOptions): string {
  if (ids === true) return view.providers.map(({ clientId }) => `${toPlainText(clientId ?? unknown)}\n`).join('');
  const notes = renderNotes(view);
  const table = renderTable(toColumns(view.providers), view.providers, columns);
  return notes === '' || table === '' ? `${notes}${table}` : `${notes}\n${table}`;
}

/** What the words were taken for, and that nothing came of it. */
function renderNotes({ place, providers }: ProvidersView): string {
  const [name = '', ...alsoFits] = [place?.name ?? '', ...(place?.alsoFits ?? [])].map(toPlainText);
  const lines = [
    ...(name === '' ? [] : [`In ${name} (${toPlainText(place?.type ?? 'place')})`]),
    ...(alsoFits.length === 0 ? [] : [`Also called that: ${alsoFits.join('; ')}`]),
    ...(providers.length > 0
      ? []
      : ['No provider is there just now. Where there are some: tributary network locations']),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function toColumns(providers: readonly ProviderView[]): readonly Column<ProviderView>[] {
  const most = providers.reduce((fastest, own) => Math.max(fastest, own.estimatedBytesPerSecond ?? 0), 0);
  return [
    { title: '#', read: ({ rank }) => formatCount(rank), align: 'right' },
    { title: 'Provider', read: ({ clientId }) => clientId ?? unknown, least: 8, isId: true },
    { title: 'Speed', read: (own) => formatBitrate(own.estimatedBytesPerSecond), align: 'right' },
    { title: '', read: (own) => renderBar(own.estimatedBytesPerSecond ?? 0, most, 10), dropOrder: 1 },
    { title: 'Tier', read: ({ tier }) => formatCount(tier), align: 'right' },
    { title: 'Relays', read: ({ intermediaryIds }) => formatRelays(intermediaryIds) },
  ];
}

function formatRelays(intermediaryIds: readonly string[]): string {
  return intermediaryIds.length === 0 ? 'direct' : formatCount(intermediaryIds.length);
}
