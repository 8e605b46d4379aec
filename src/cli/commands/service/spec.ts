import type { OperationResponse } from '../../../service/operations.ts';
import { defineCommand, refuse } from '../../frame/command.ts';
import type { Session } from '../../frame/session.ts';
import { formatCount } from '../../present/amounts.ts';
import { renderTable } from '../../present/text.ts';
import { nameInFull, type PlaceView, type SpecView, viewPlaces, viewSpec } from './place-view.ts';

type Found = OperationResponse<'findLocations'> &
  Partial<Pick<OperationResponse<'providerLocations'>, 'devices'>>;

/**
 * What is known of a spec's place, group or provider. The spec "best available" names none of them,
 * so nothing is known of it.
 */
type Naming = Pick<PlaceView, 'name' | 'type'> & { readonly providerCount: number | undefined };

/** The service lists by name what has providers, so any other place is without. */
const unnamed = 'a place without providers';

export const spec = defineCommand({
  usage: 'spec <words...>',
  description: 'find the places and groups that fit a description, for `service providers`',
  examples: {
    'tributary service spec streaming in germany': 'the places and groups that fit',
    'tributary service spec somewhere in europe --json': 'for a script',
  },
  async run(session, { words }) {
    const query = words.join(' ').trim();
    if (query === '') throw refuse('say in words what the providers are for, or where');
    session.findServed('createProviderSpec');
    const specs = (await session.call('createProviderSpec', { query })).specs.map(viewSpec);
    const names = await readNames(session, query, specs);
    return { query, specs: specs.map((own) => ({ ...own, ...nameSpec(own, names) })) };
  },
  render({ query, specs }, terminal) {
    if (specs.length === 0)
      return `Nothing fits ${query}. All places: tributary service locations\n`;
    return renderTable(specs, terminal, [
      {
        title: 'Spec',
        read: (own) => own.name ?? (own.isBestAvailable ? 'best available' : unnamed),
        least: 12,
      },
      { title: 'Type', read: ({ type }) => type, least: 8, dropOrder: 1 },
      {
        title: 'Providers',
        read: ({ providerCount }) => formatCount(providerCount),
        align: 'right',
        dropOrder: 2,
      },
      { title: 'Options to use', read: formatOption },
    ]);
  },
});

/** How many places are asked for by their ids, where words name them not. */
const mostAsked = 10;

/**
 * The names of places that have providers. If one is missing, also the names that the words find,
 * together and one by one, and then what the service finds by the ids themselves.
 */
async function readNames(session: Session, query: string, specs: readonly SpecView[]) {
  const ids = specs.flatMap((own) => findId(own) ?? []);
  if (ids.length === 0) return new Map<string, Naming>();
  const listed = await session.call('providerLocations', undefined);
  const names = new Map(listNames(listed));
  const learn = async (words: string) => {
    const found = await session.call('findLocations', { query: words });
    for (const [id, naming] of listNames(found)) if (!names.has(id)) names.set(id, naming);
  };
  for (const words of [query, ...listWords(query)]) {
    if (ids.every((id) => names.has(id))) break;
    await learn(words);
  }
  for (const id of ids.filter((own) => !names.has(own)).slice(0, mostAsked)) await learn(id);
  return names;
}

/**
 * Single words that may be a place's name, the longest first. They are so few that asking for each
 * is no burden.
 */
function listWords(query: string): readonly string[] {
  const words = new Set(query.split(/\s+/).filter((word) => word.length >= 3 && word !== query));
  return [...words].toSorted((one, other) => other.length - one.length).slice(0, 5);
}

function listNames({ devices = [], ...answer }: Found): readonly (readonly [string, Naming])[] {
  const { locations, groups } = viewPlaces(answer);
  return [
    ...devices.map(({ clientId: id, deviceName: name }) => ({
      id,
      name,
      type: 'provider',
      providerCount: undefined,
    })),
    ...locations.map((place) => ({ ...place, id: place.locationId, name: nameInFull(place) })),
    ...groups.map((group) => ({ ...group, id: group.locationGroupId, type: 'group' })),
  ].flatMap(({ id, name, type, providerCount }) =>
    id === undefined ? [] : [[id, { name, type, providerCount }]],
  );
}

function nameSpec(own: SpecView, names: ReadonlyMap<string, Naming>): Naming {
  const type =
    own.clientId !== undefined
      ? 'provider'
      : own.locationGroupId !== undefined
        ? 'group'
        : undefined;
  return names.get(findId(own) ?? '') ?? { name: undefined, type, providerCount: undefined };
}

function findId({ clientId, locationId, locationGroupId }: SpecView): string | undefined {
  return clientId ?? locationId ?? locationGroupId;
}

function formatOption({ clientId, locationId, locationGroupId }: SpecView): string | undefined {
  const ids = { client: clientId, location: locationId, group: locationGroupId };
  const options = Object.entries(ids).flatMap(([name, id]) =>
    id === undefined ? [] : `--${name} ${id}`,
  );
  return options.length === 0 ? undefined : options.join(' ');
}
