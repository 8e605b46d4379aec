import { refuse } from '../../frame/command.ts';
import type { Session } from '../../frame/session.ts';
import { unknown } from '../../present/amounts.ts';
import { nameInFull, type PlacesView, viewPlaces } from './place-view.ts';

/**
 * A place, a group or a provider, with one of the three ids. It has a name and a type only if the
 * words match a name.
 */
export type ChosenPlace = Readonly<NonNullable<ReturnType<typeof pickPlace>>>;

/**
 * The place that the service finds nearest to the words; of several, the one with the most
 * providers.
 * @throws usage-invalid, codes of `call`
 */
export async function choosePlace(session: Session, words: string): Promise<ChosenPlace> {
  const chosen = pickPlace(
    words,
    viewPlaces(await session.call('findLocations', { query: words })),
  );
  if (chosen !== undefined) return chosen;
  throw refuse(`no place is called ${words}`, {
    action: `Similar names: tributary service locations ${words} --near`,
  });
}

export function pickPlace(words: string, places: PlacesView) {
  const isCalled = (name: string | undefined) => name?.toLowerCase() === words.toLowerCase();
  const noLocation = { type: 'group', countryCode: undefined, locationId: undefined };
  const named = [
    ...places.locations.map((place) => ({
      ...place,
      locationGroupId: undefined,
      label: nameInFull(place),
    })),
    ...places.groups.map((group) => ({ ...group, ...noLocation, label: group.name ?? unknown })),
  ];
  const [best, ...others] = named
    .filter(({ locationId, locationGroupId }) => (locationId ?? locationGroupId) !== undefined)
    // The words are its whole name, or a country's code.
    .map((own) => ({
      ...own,
      isExact: isCalled(own.name) || (own.type === 'country' && isCalled(own.countryCode)),
    }))
    .toSorted(
      (one, other) =>
        one.matchDistance - other.matchDistance ||
        Number(other.isExact) - Number(one.isExact) ||
        other.providerCount - one.providerCount,
    );
  if (best !== undefined) {
    const { name, type, locationId, locationGroupId } = best;
    const alike = others.filter(
      (own) => own.matchDistance === best.matchDistance && own.isExact === best.isExact,
    );
    const alsoFits = alike.map((own) => `${own.label} (${own.type ?? 'place'})`);
    return { name, type, locationId, locationGroupId, clientId: undefined, alsoFits };
  }
  // A service may answer anything with "the best there is".
  const spec = places.specs.find(
    (own) => (own.clientId ?? own.locationId ?? own.locationGroupId) !== undefined,
  );
  if (spec === undefined) return undefined;
  const { clientId, locationId, locationGroupId } = spec;
  return { name: undefined, type: undefined, locationId, locationGroupId, clientId, alsoFits: [] };
}
