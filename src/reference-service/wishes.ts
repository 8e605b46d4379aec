import { isUse } from './place-phrases.ts';
import { findInWords } from './place-search.ts';
import { refuse } from './refusal.ts';
import { type Findable, idOf, type Place, type World } from './world.ts';

/**
 * What a text asks for, as specs of which any may match: a use narrows a place, and excluded places
 * are left out.
 * @throws usage-invalid
 */
export function readWishes(world: World, text: string) {
  const { wanted, unwanted, missing, unwantedMissing } = findInWords(world, text);
  // Another place beside it would look like all that was asked for.
  if (missing.length > 0) throw refuse(`This service has no place in ${missing.join(' or ')}.`);
  const uses = wanted.filter(isUse);
  const named = wanted.filter((found) => !isUse(found));
  if (unwanted.length === 0 && (uses.length === 0 || named.length === 0)) {
    // What is not wanted is not here, so everything is.
    const isAnything = wanted.length === 0 && unwantedMissing.length > 0;
    return isAnything ? [{ best_available: true }] : wanted.map(toWireSpec);
  }
  const [start = world.groups.filter((group) => !group.promoted)] = [named, uses].filter(
    (found) => found.length > 0,
  );
  const areas = unwanted.length === 0 ? named : leaveOut(world, start, unwanted);
  if (areas.length === 0) throw refuse('The query excludes every place that it names.');
  if (uses.length === 0) return areas.map(toWireSpec);
  // A spec names one group only, so what two groups have in common is named country by country.
  const places = areas.flatMap((area) => (area.type === 'group' ? world.partsOf(area) : [area]));
  const specs = uses.flatMap((use) => {
    const cities = world.citiesOf(use.groupId);
    const common = places.filter((place) =>
      world.citiesOf(place.locationId).some((city) => cities.includes(city)),
    );
    return common.map((place) => ({
      location_id: place.locationId,
      location_group_id: use.groupId,
    }));
  });
  if (specs.length === 0) throw refuse('No place that the query names is one for that use.');
  return specs;
}

export function toWireSpec(found: Findable) {
  return found.type === 'group'
    ? { location_group_id: found.groupId }
    : { location_id: found.locationId };
}

/** The largest places in these areas that contain nothing unwanted. */
function leaveOut(
  world: World,
  areas: readonly Findable[],
  unwanted: readonly Findable[],
): readonly Place[] {
  const excluded = new Set<Place>(unwanted.flatMap((found) => world.citiesOf(idOf(found))));
  const keep = (place: Place): readonly Place[] =>
    world.citiesOf(place.locationId).some((city) => excluded.has(city))
      ? world.partsOf(place).flatMap(keep)
      : [place];
  return areas.flatMap((area) =>
    area.type === 'group' ? world.partsOf(area).flatMap(keep) : keep(area),
  );
}
