import { defineCommand, refuse, refuseOption } from '../../frame/command.ts';
import { asMark, unknown } from '../../present/amounts.ts';
import { readBelow } from '../../present/below-table.ts';
import { defineTable } from '../../present/tables.ts';
import { joinSections } from '../../present/text.ts';
import { nameInFull, type PlaceView, sortAsTree, viewPlaces } from './place-view.ts';

export const locations = defineCommand({
  usage: 'locations [words...]',
  description: 'where providers are; with words, the places with that name',
  options: {
    '--near': 'also places with a similar name, for a misspelt word',
    '--distance <fraction>':
      'how similar: at most this share of the letters may differ, 0 to 1 (default: up to the service)',
  },
  examples: {
    'tributary service locations': 'every place with providers, and how many',
    'tributary service locations new york': 'places of that name',
    'tributary service locations --near berln': 'places with a name like this',
  },
  async run(session, { words, options }) {
    const query = words.join(' ').trim() || undefined;
    const near = parseNear(options, query);
    if (query !== undefined) {
      return {
        query,
        ...viewPlaces(await session.call('findLocations', { query, ...near })),
        devices: [],
      };
    }
    const answer = await session.call('providerLocations', undefined);
    // Single providers that the service recommends.
    const devices = answer.devices.map(({ clientId, deviceName }) => ({
      clientId,
      name: deviceName,
    }));
    return { query, ...viewPlaces(answer), devices };
  },
  tables: ({ query, locations: places, groups, devices }, { sort, filter, json, csv }) => ({
    locations: (query ?? sort ?? filter ?? json ?? csv) ? defineFound(places) : defineTree(places),
    groups: defineTable(groups, [
      { ...asMark, name: 'promoted', read: ({ isPromoted }) => isPromoted },
      { title: 'Group', read: ({ name }) => name, least: 20 },
      { title: 'Providers', read: ({ providerCount }) => providerCount, align: 'right' },
      { bar: ({ providerCount }) => providerCount, width: 6, dropOrder: 1 },
      { title: 'Location group', read: ({ locationGroupId }) => locationGroupId, dropOrder: 2 },
    ]),
    devices: defineTable(devices, [
      { title: 'Provider', read: ({ name }) => name, least: 16 },
      { title: 'Client', read: ({ clientId }) => clientId },
    ]),
  }),
  render({ query, groups }, shown, options) {
    const { tables } = shown;
    const { rows, prints } = readBelow(shown, 'groups', groups);
    const isMarked = prints('promoted') && rows.some(({ isPromoted }) => isPromoted);
    const note = isMarked ? '\n* promoted by the service\n' : '';
    return (
      joinSections([tables.locations, `${tables.groups}${note}`, tables.devices]) ||
      renderNone(query, options)
    );
  },
});

type NearOptions = { readonly near?: boolean; readonly distance?: string };

/** Reads `--near` and `--distance`. @throws usage-invalid */
function parseNear({ near, distance }: NearOptions, query: string | undefined) {
  const maxDistanceFraction = distance === undefined ? undefined : Number(distance || Number.NaN);
  if (
    maxDistanceFraction !== undefined &&
    !(maxDistanceFraction >= 0 && maxDistanceFraction <= 1)
  ) {
    throw refuseOption('--distance', distance, 'a fraction from 0 to 1');
  }
  if (near === undefined && distance === undefined) return {};
  if (query === undefined)
    throw refuse(`--${near ? 'near' : 'distance'} needs the name of a place`);
  return { enableMaxDistanceFraction: true, maxDistanceFraction };
}

function renderNone(query: string | undefined, { near, distance }: NearOptions): string {
  if (query === undefined) return 'No place has a provider yet.\n';
  const isExact = near === undefined && distance === undefined;
  const next = isExact
    ? `Try tributary service locations ${query} --near`
    : 'All places: tributary service locations';
  return `No place is called ${query}. ${next}\n`;
}

function defineTree(places: readonly PlaceView[]) {
  return defineTable(sortAsTree(places), [
    {
      title: 'Place',
      read: (place) => `${'  '.repeat(place.depth)}${formatPlace(place)}`,
      least: 16,
    },
    { title: 'Providers', read: ({ providerCount }) => providerCount, align: 'right' },
    { bar: ({ providerCount }) => providerCount, width: 6, dropOrder: 1 },
    { title: 'Location', read: ({ locationId }) => locationId, dropOrder: 2 },
  ]);
}

/** The table of found places. It shows distances if names did not match exactly. */
function defineFound(places: readonly PlaceView[]) {
  const isNear = places.some(({ matchDistance }) => matchDistance >= 1);
  return defineTable(places, [
    { title: 'Place', read: (place) => nameInFull(place) || undefined, least: 22 },
    { title: 'Type', read: ({ type }) => type, least: 7 },
    { title: 'Providers', read: ({ providerCount }) => providerCount, align: 'right' },
    { bar: ({ providerCount }) => providerCount, width: 6, dropOrder: 2 },
    {
      title: 'Distance',
      read: (own) => (isNear ? own.matchDistance : undefined),
      align: 'right',
      isOptional: true,
    },
    { title: 'Location', read: ({ locationId }) => locationId, dropOrder: 1 },
  ]);
}

function formatPlace({ name, type, countryCode }: PlaceView): string {
  const code = type === 'country' && countryCode !== undefined ? ` (${countryCode})` : '';
  return `${name ?? unknown}${code}`;
}
