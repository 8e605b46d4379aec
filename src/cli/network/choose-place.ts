import { refuse } from '../command.ts';
import { unknown } from '../present/amounts.ts';
import type { Session } from '../session.ts';
import { nameInFull, type PlacesView, viewPlaces } from './place-view.ts';

/** No place yet; of the three ids a chosen one has one. */
const nothing = {
  /** undefined where the words fit no name, but the service knew what they mean. */
  name: undefined as string | undefined,
  /** country, region, city or group; undefined for a single provider. */
  type: undefined as string | undefined,
  locationId: undefined as string | undefined,
  locationGroupId: undefined as string | undefined,
  clientId: undefined as string | undefined,
  alsoFits: [] as readonly string[],
};

export type ChosenPlace = Readonly<typeof nothing>;

/** The nearest by the service, of several the one with the most providers. @throws usage-invalid, codes of `call` */
export async function choosePlace(session: Session, words: string): Promise<ChosenPlace> {
  const chosen = pickPlace(words, viewPlaces(await session.call('findLocations', { query: words })));
  if (chosen !== undefined) return chosen;
  const message = `no place is called ${words}; try \`tributary network locations ${words} --near\``;
  throw refuse(`${message}, or leave it out for the best there is`);
}

export function pickPlace(words: string, places: PlacesView): ChosenPlace | undefined {
  const [best, ...others] = listCandidates(words, places)
    .filter(({ chosen }) => (chosen.locationId ?? chosen.locationGroupId) !== undefined)
    .toSorted(
      (one, other) =>
        one.matchDistance - other.matchDistance ||
        Number(other.isExact) - Number(one.isExact) ||
        other.providerCount - one.providerCount,
    );
  if (best !== undefined) {
    const alike = others.filter((own) => own.matchDistance === best.matchDistance && own.isExact === best.isExact);
    return { ...best.chosen, alsoFits: alike.map(({ label }) => label) };
  }
  // "The best there is" may be a service's answer to anything.
  const spec = places.specs.find((own) => (own.clientId ?? own.locationId ?? own.locationGroupId) !== undefined);
  if (spec === undefined) return undefined;
  const { clientId, locationId, locationGroupId } = spec;
  return { ...nothing, clientId, locationId, locationGroupId };
}

/** All that the words may mean; `isExact` where they are its whole name, or a country's code. */
function listCandidates(words: string, { locations, groups }: PlacesView) {
  const isCalled = (name: string | undefined) => name?.toLowerCase() === words.toLowerCase();
  return [
    ...locations.map((place) => ({
      ...place,
      chosen: { ...nothing, name: place.name, type: place.type, locationId: place.locationId },
      isExact: isCalled(place.name) || (place.type === 'country' && isCalled(place.countryCode)),
      label: `${nameInFull(place)} (${place.type ?? 'place'})`,
    })),
    ...groups.map((group) => ({
      ...group,
      chosen: { ...nothing, name: group.name, type: 'group', locationGroupId: group.locationGroupId },
      isExact: isCalled(group.name),
      label: `${group.name ?? unknown} (group)`,
    })),
  ];
}
