import { describe, expect, test } from 'vitest';
import { pickPlace } from '../../../../../src/cli/commands/service/choose-place.ts';
import { createSpecs } from '../../../../../src/cli/commands/service/providers.ts';
import { group, place, spec } from './sample-places.ts';

const denmark = place({
  locationId: 'dk',
  type: 'country',
  name: 'Denmark',
  countryCode: 'DK',
  providerCount: 9,
});
const germany = place({
  locationId: 'de',
  type: 'country',
  name: 'Germany',
  countryCode: 'DE',
  providerCount: 4,
});
const region = place({
  locationId: 'br',
  type: 'region',
  name: 'Berlin',
  country: 'Germany',
  providerCount: 3,
});
const city = place({
  locationId: 'bc',
  type: 'city',
  name: 'Berlin',
  country: 'Germany',
  providerCount: 3,
});
const bern = place({
  locationId: 'ch',
  type: 'city',
  name: 'Bern',
  providerCount: 8,
  matchDistance: 2,
});
const europe = group({ locationGroupId: 'eu', name: 'Europe', providerCount: 6 });

describe('the words of a place are taken for', () => {
  test.each([
    ['the nearest', 'berlin', { locations: [bern, city] }, 'bc', []],
    ['the one that is called just so', 'de', { locations: [denmark, germany] }, 'de', []],
    [
      'the one with the most providers',
      'berlin',
      { locations: [city, { ...region, providerCount: 5 }] },
      'br',
      ['Berlin, Germany (city)'],
    ],
    [
      'the first of those that are alike',
      'Berlin',
      { locations: [region, city] },
      'br',
      ['Berlin, Germany (city)'],
    ],
    ['a group', 'europe', { groups: [europe] }, 'eu', []],
    [
      'a provider by its id',
      'abc',
      { specs: [spec({ isBestAvailable: true }), spec({ clientId: 'abc' })] },
      'abc',
      [],
    ],
    [
      'nothing without an id',
      'germany',
      { locations: [{ ...germany, locationId: undefined }] },
      undefined,
      undefined,
    ],
    [
      'nothing where only the best there is was found',
      'best',
      { specs: [spec({ isBestAvailable: true })] },
      undefined,
      undefined,
    ],
  ])('%s', (_, words, found, id, alsoFits) => {
    const chosen = pickPlace(words, { locations: [], groups: [], specs: [], ...found });
    expect(chosen?.locationId ?? chosen?.locationGroupId ?? chosen?.clientId).toBe(id);
    expect(chosen?.alsoFits).toEqual(alsoFits);
  });
});

describe('providers are asked for', () => {
  const chosen = {
    name: undefined,
    type: undefined,
    locationId: 'de',
    locationGroupId: undefined,
    clientId: undefined,
    alsoFits: [],
  };
  test.each([
    ['of any place', undefined, {}, [{ bestAvailable: true }]],
    ['of the place that words name', chosen, {}, [{ locationId: 'de' }]],
    [
      'of everything that is named',
      chosen,
      { location: 'fr', group: 'eu', client: 'abc' },
      [{ locationId: 'de' }, { locationId: 'fr' }, { locationGroupId: 'eu' }, { clientId: 'abc' }],
    ],
  ])('%s', (_, placeOfWords, options, specs) => {
    expect(createSpecs({ place: placeOfWords, options })).toEqual(specs);
  });
});
