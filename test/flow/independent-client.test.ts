import { expect, test } from 'vitest';
import { documentedInterface } from './independent/documented-interface.ts';
import { listPlaces } from './independent/documented-types.ts';
import { takeTour } from './independent/tour.ts';
import { missing, openSeededWorld } from './independent/world.ts';

const noFailure = 'nothing that a caller sends makes it fail';
const noneSought = 'nothing was searched for, so nothing is near or far';
const placesSpeak = 'the places beside it have ids of their own';

/** Documented places where this service never has anything to say, each with its reason. */
const neverMet: readonly (readonly [RegExp, string])[] = [
  [/find-providers2 .*intermediary_ids\[\]$/, 'every provider is reached without a relay'],
  [
    /find-locations .*(city|region|country)_location_id$/,
    'the document promises it of provider-locations',
  ],
  [/provider-locations .*match_distance$/, noneSought],
  [/provider-locations specs\[\]\.(location_id|location_group_id|client_id)$/, placesSpeak],
  [/device\/add duration_minutes$/, 'a device that was added stays'],
  [/create-provider-spec .*client_id$/, 'words name places, and no device'],
  [/(reliability|leaderboard) error(\.message)?$/, noFailure],
];

/**
 * Fields that no answer of the production profile has: its list of providers has no empty relays.
 */
const neverMetInProduction: typeof neverMet = [
  ...neverMet,
  [/find-providers2 .*intermediary_ids$/, 'a list without items is null'],
  [/stats\/providers.* providers\[\]\.provide_mode$/, 'its statistics have no mode'],
];
/** An answer says more there than is documented. */
const undocumented = /^POST \/network\/auth-client client_id is not documented: /;

test.each([
  { profile: 'documented', excused: neverMet, isKnown: () => false },
  {
    profile: 'production',
    excused: neverMetInProduction,
    isKnown: (problem: string) => undocumented.test(problem),
  },
] as const)(
  'every documented field is answered by the $profile service with its documented type, and no other',
  async ({ profile, excused, isKnown }) => {
    const { world, token } = await openSeededWorld(12, { clientLimit: 20, profile });
    await takeTour(world, { token });
    const { met, takeProblems } = world.client;
    expect(takeProblems().filter((problem) => !isKnown(problem))).toEqual([]);
    const isMissing = (operation: string) =>
      profile === 'production' && missing.some((own) => own === operation);
    const places = Object.entries(documentedInterface).flatMap(([operation, { answer }]) =>
      isMissing(operation) ? [] : listPlaces(answer, `${operation} `),
    );
    const isExcused = (place: string) => excused.some(([pattern]) => pattern.test(place));
    expect(places.filter((place) => !met.has(place) && !isExcused(place))).toEqual([]);
    expect(places.filter((place) => met.has(place) && isExcused(place))).toEqual([]);
  },
);
