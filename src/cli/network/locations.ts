import { toPlainText } from '../../lib/plain-text.ts';
import type { Given, ServiceCommand } from '../command.ts';
import type { OptionValues } from '../option-values.ts';
import { formatCount, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { joinSections } from '../present/text.ts';
import { refuse } from '../refuse.ts';
import type { Session } from '../session.ts';
import { sortAsTree } from './place-tree.ts';
import { type GroupView, nameInFull, type PlaceView, viewPlaces } from './place-view.ts';

const flags = {
  '--near [fraction]':
    'also names that are misspelt: at most this share of the letters, 0 to 1 (default: as the service sees fit)',
};
type Options = OptionValues<typeof flags>;

/** What was looked for, undefined for all places, and what was found. */
type LocationsView = Awaited<ReturnType<typeof readLocations>>;

/** `tributary network locations`. */
export const locations: ServiceCommand<LocationsView, Options> = {
  usage: 'locations [words...]',
  description: 'where providers are; with words, the places that are called so',
  options: flags,
  examples: {
    'tributary network locations': 'every place with providers, and how many',
    'tributary network locations new york': 'places of that name',
    'tributary network locations berln --near 0.3': 'and what was meant by it',
  },
  run: readLocations,
  async render(view, terminal, { near }) {
    const note = view.groups.some(({ isPromoted }) => isPromoted) ? '\n* put forward by the service\n' : '';
    const places =
      view.query === undefined
        ? await renderTable(treeColumns, sortAsTree(view.locations), terminal)
        : await renderTable(listFoundColumns(view.locations), view.locations, terminal);
    const groups = `${await renderTable(groupColumns, view.groups, terminal)}${note}`;
    const devices = await renderTable(deviceColumns, view.devices, terminal);
    return joinSections([places, groups, devices]) || renderNone(view.query, near);
  },
};

async function readLocations(session: Session, { words, options }: Given<Options>) {
  const query = words.join(' ').trim();
  const near = parseNear(options.near, query);
  if (query === '') {
    const answer = await session.call('providerLocations', undefined);
    // Single providers that the service puts forward.
    const devices = answer.devices.map(({ clientId, deviceName }) => ({ clientId, name: deviceName }));
    return { query: undefined, ...viewPlaces(answer), devices };
  }
  return { query, ...viewPlaces(await session.call('findLocations', { query, ...near })), devices: [] };
}

/** @throws usage-invalid */
function parseNear(near: Options['near'], query: string) {
  if (near === undefined) return {};
  if (query === '') throw refuse('--near needs the words that something is near to');
  if (near === true) return { enableMaxDistanceFraction: true };
  const maxDistanceFraction = Number(near);
  if (near.trim() === '' || !(maxDistanceFraction >= 0 && maxDistanceFraction <= 1)) {
    throw refuse(`--near ${near}: it must be a fraction from 0 to 1, or nothing`);
  }
  return { enableMaxDistanceFraction: true, maxDistanceFraction };
}

function renderNone(query: string | undefined, near: Options['near']): string {
  if (query === undefined) return 'No place has a provider yet. Make this device one: tributary run\n';
  const words = toPlainText(query);
  const next =
    near === undefined ? `Try tributary network locations ${words} --near` : 'All places: tributary network locations';
  return `No place is called ${words}. ${next}\n`;
}

const treeColumns: readonly Column<PlaceView & { readonly depth: number }>[] = [
  { title: 'Place', read: (place) => `${'  '.repeat(place.depth)}${formatPlace(place)}`, least: 16 },
  { title: 'Providers', read: ({ providerCount }) => formatCount(providerCount), align: 'right' },
  { bar: ({ providerCount }) => providerCount, width: 6, dropOrder: 1 },
  { title: 'Location', read: ({ locationId }) => locationId, dropOrder: 2 },
];

/** The distance is shown where names were not met exactly. */
function listFoundColumns(places: readonly PlaceView[]): readonly Column<PlaceView>[] {
  const isNear = places.some(({ matchDistance }) => matchDistance > 0);
  return [
    { title: 'Place', read: (place) => nameInFull(place) || undefined, least: 22 },
    { title: 'Type', read: ({ type }) => type, least: 7 },
    { title: 'Providers', read: ({ providerCount }) => formatCount(providerCount), align: 'right' },
    { bar: ({ providerCount }) => providerCount, width: 6, dropOrder: 2 },
    {
      title: 'Distance',
      read: ({ matchDistance }) => (isNear ? formatCount(matchDistance) : undefined),
      align: 'right',
      isOptional: true,
    },
    { title: 'Location', read: ({ locationId }) => locationId, dropOrder: 1 },
  ];
}

const groupColumns: readonly Column<GroupView>[] = [
  { title: '', read: ({ isPromoted }) => (isPromoted ? '*' : '') },
  { title: 'Group', read: ({ name }) => name, least: 20 },
  { title: 'Providers', read: ({ providerCount }) => formatCount(providerCount), align: 'right' },
  { bar: ({ providerCount }) => providerCount, width: 6, dropOrder: 1 },
  { title: 'Location group', read: ({ locationGroupId }) => locationGroupId, dropOrder: 2 },
];

const deviceColumns: readonly Column<LocationsView['devices'][number]>[] = [
  { title: 'Provider', read: ({ name }) => name, least: 16 },
  { title: 'Client', read: ({ clientId }) => clientId },
];

/** A country comes with its two letters. */
function formatPlace({ name, type, countryCode }: PlaceView): string {
  const code = type === 'country' && countryCode !== undefined ? ` (${countryCode})` : '';
  return `${name ?? unknown}${code}`;
}
