import { expect, test } from 'vitest';
import { documentedInterface } from './independent/documented-interface.ts';
import { listPlaces } from './independent/documented-types.ts';
import { takeTour } from './independent/tour.ts';
import { openSeededWorld } from './independent/world.ts';

const noFailure = 'nothing that a caller sends makes it fail';
const noneSought = 'nothing was searched for, so nothing is near or far';
const placesSpeak = 'the places beside it have ids of their own';

/** Documented places where this service never has anything to say, each with its reason. */
const neverMet: readonly (readonly [RegExp, string])[] = [
  [/find-providers2 .*intermediary_ids\[\]$/, 'every provider is reached without a relay'],
  [/find-locations .*(city|region|country)_location_id$/, 'the document promises it of provider-locations'],
  [/provider-locations .*match_distance$/, noneSought],
  [/provider-locations specs\[\]\.(location_id|location_group_id|client_id)$/, placesSpeak],
  [/create-provider-spec .*client_id$/, 'words name places, and no device'],
  [/(reliability|leaderboard) error(\.message)?$/, noFailure],
];

test('every documented field is answered with its documented type, and no other', async () => {
  const { world, token } = await openSeededWorld(12, { clientLimit: 20 });
  await takeTour(world, { token });
  const { met } = world.client;
  const places = Object.entries(documentedInterface).flatMap(([operation, { answer }]) =>
    listPlaces(answer, `${operation} `),
  );
  const isExcused = (place: string) => neverMet.some(([pattern]) => pattern.test(place));
  expect(places.filter((place) => !met.has(place) && !isExcused(place))).toEqual([]);
  expect(places.filter((place) => met.has(place) && isExcused(place))).toEqual([]);
});
