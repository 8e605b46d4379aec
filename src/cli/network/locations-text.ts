import { renderBar } from '../../lib/bars.ts';
import { toPlainText } from '../../status/wrap.ts';
import { formatCount, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import type { Paper } from '../service-command.ts';
import type { LocationsOptions, LocationsView } from './locations.ts';
import { type PlacedPlace, toPlaceTree } from './place-tree.ts';
import { type GroupView, type PlaceView, toFullName } from './place-view.ts';

const barWidth = 6;

/** Places as a tree or, where something was looked for, the nearest first; then groups and single providers. */
export function renderLocations(view: LocationsView, { columns }: Paper, { near }: LocationsOptions): string {
  const { query, locations, groups, devices } = view;
  const sections = [
    query === null
      ? renderTable(toTreeColumns(locations), toPlaceTree(locations), columns)
      : renderTable(toFoundColumns(locations), locations, columns),
    renderGroups(groups, columns),
    renderTable(deviceColumns, devices, columns),
  ].filter((section) => section !== '');
  return sections.length === 0 ? renderNone(query, near !== undefined) : sections.join('\n');
}

function renderNone(query: string | null, wasNear: boolean): string {
  if (query === null) return 'No place has a provider yet. Make this device one: tributary run\n';
  const words = toPlainText(query);
  const next = wasNear ? 'All places: tributary network locations' : `Try tributary network locations ${words} --near`;
  return `No place is called ${words}. ${next}\n`;
}

function renderGroups(groups: readonly GroupView[], columns: number | undefined): string {
  const note = groups.some(({ isPromoted }) => isPromoted) ? '\n* put forward by the service\n' : '';
  return `${renderTable(toGroupColumns(groups), groups, columns)}${note}`;
}

function toTreeColumns(places: readonly PlaceView[]): readonly Column<PlacedPlace>[] {
  const most = toMost(places);
  return [
    { title: 'Place', read: ({ place, depth }) => `${'  '.repeat(depth)}${formatPlace(place)}`, least: 16 },
    { title: 'Providers', read: ({ place }) => formatCount(place.providerCount), align: 'right' },
    { title: '', read: ({ place }) => renderBar(place.providerCount, most, barWidth), dropOrder: 1 },
    { title: 'Location', read: ({ place }) => place.locationId ?? unknown, dropOrder: 2 },
  ];
}

function toFoundColumns(places: readonly PlaceView[]): readonly Column<PlaceView>[] {
  const most = toMost(places);
  const distance: Column<PlaceView> = {
    title: 'Distance',
    read: ({ matchDistance }) => formatCount(matchDistance),
    align: 'right',
  };
  return [
    { title: 'Place', read: (place) => toFullName(place) || unknown, least: 22 },
    { title: 'Type', read: ({ type }) => type ?? unknown, least: 7 },
    { title: 'Providers', read: ({ providerCount }) => formatCount(providerCount), align: 'right' },
    { title: '', read: ({ providerCount }) => renderBar(providerCount, most, barWidth), dropOrder: 2 },
    ...(places.some(({ matchDistance }) => matchDistance > 0) ? [distance] : []),
    { title: 'Location', read: ({ locationId }) => locationId ?? unknown, dropOrder: 1 },
  ];
}

function toGroupColumns(groups: readonly GroupView[]): readonly Column<GroupView>[] {
  const most = toMost(groups);
  return [
    { title: '', read: ({ isPromoted }) => (isPromoted ? '*' : '') },
    { title: 'Group', read: ({ name }) => name ?? unknown, least: 20 },
    { title: 'Providers', read: ({ providerCount }) => formatCount(providerCount), align: 'right' },
    { title: '', read: ({ providerCount }) => renderBar(providerCount, most, barWidth), dropOrder: 1 },
    { title: 'Location group', read: ({ locationGroupId }) => locationGroupId ?? unknown, dropOrder: 2 },
  ];
}

const deviceColumns: readonly Column<LocationsView['devices'][number]>[] = [
  { title: 'Provider', read: ({ name }) => name ?? unknown, least: 16 },
  { title: 'Client', read: ({ clientId }) => clientId ?? unknown },
];

/** A country comes with its two letters. */
function formatPlace({ name, type, countryCode }: PlaceView): string {
  const code = type === 'country' && countryCode !== null ? ` (${countryCode})` : '';
  return `${name ?? unknown}${code}`;
}

function toMost(counts: readonly { readonly providerCount: number }[]): number {
  return counts.reduce((most, { providerCount }) => Math.max(most, providerCount), 0);
}
