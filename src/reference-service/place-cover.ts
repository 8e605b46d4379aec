import type { Place, World } from './world.ts';

/** The fewest places that together hold these cities and no other. */
export function toCover(world: World, cityIds: ReadonlySet<string>): readonly Place[] {
  const isWhole = (id: string) => world.citiesOf(id).every((city) => cityIds.has(city.cityId));
  return world.places.filter((place) => isWhole(place.locationId) && !toParentIds(place).some(isWhole));
}

function toParentIds({ type, country, region }: Place): readonly string[] {
  if (type === 'country') return [];
  return type === 'city' && region !== undefined ? [region.locationId, country.locationId] : [country.locationId];
}
