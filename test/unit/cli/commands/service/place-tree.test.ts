import { expect, test } from 'vitest';
import { nameInFull, sortAsTree } from '../../../../../src/cli/commands/service/place-view.ts';
import { place } from './sample-places.ts';

const germany = place({
  locationId: 'de',
  type: 'country',
  name: 'Germany',
  providerCount: 4,
  countryLocationId: 'de',
});
const bavaria = place({
  locationId: 'by',
  type: 'region',
  name: 'Bavaria',
  countryLocationId: 'de',
  providerCount: 1,
});
const berlin = place({
  locationId: 'be',
  type: 'region',
  name: 'Berlin',
  countryLocationId: 'de',
  providerCount: 3,
});
const city = place({
  locationId: 'bc',
  type: 'city',
  name: 'Berlin',
  regionLocationId: 'be',
  countryLocationId: 'de',
});
const france = place({ locationId: 'fr', type: 'country', name: 'France', providerCount: 9 });
const stray = place({
  locationId: 'x',
  type: 'city',
  name: 'Nowhere',
  regionLocationId: 'gone',
  providerCount: 5,
});
const odd = place({
  locationId: 'o',
  type: 'planet',
  name: 'Mars',
  countryLocationId: 'o',
  providerCount: 5,
});

test.each([
  ['the most providers first', [germany, france], ['France', 'Germany']],
  [
    'names where providers are as many',
    [{ ...germany, providerCount: 9 }, france],
    ['France', 'Germany'],
  ],
  [
    'cities in regions in countries',
    [city, bavaria, berlin, germany],
    ['Germany', '  Berlin', '    Berlin', '  Bavaria'],
  ],
  [
    'a city right in its country where its region is not listed',
    [city, germany],
    ['Germany', '  Berlin'],
  ],
  [
    'a place of its own where nothing around it is listed',
    [stray, germany],
    ['Nowhere', 'Germany'],
  ],
  ['a type that nobody knows', [odd, germany], ['Mars', 'Germany']],
  ['a place without an id', [place({ name: 'Somewhere' }), germany], ['Germany', 'Somewhere']],
  ['nothing', [], []],
])('a tree of places shows %s', (_, places, rows) => {
  expect(sortAsTree(places).map(({ depth, ...row }) => `${'  '.repeat(depth)}${row.name}`)).toEqual(
    rows,
  );
});

test('two places that say they are within each other are both shown', () => {
  const one = place({ locationId: 'a', type: 'city', name: 'one', regionLocationId: 'b' });
  const other = place({ locationId: 'b', type: 'city', name: 'other', regionLocationId: 'a' });
  expect(sortAsTree([one, other])).toHaveLength(2);
});

test.each([
  [{ name: 'Munich', region: 'Bavaria', country: 'Germany' }, 'Munich, Bavaria, Germany'],
  [{ name: 'Berlin', region: 'Berlin', country: 'Germany' }, 'Berlin, Germany'],
  [{ name: 'Germany', country: 'Germany' }, 'Germany'],
  [{ name: undefined, region: '', country: undefined }, ''],
])('%j is called %j', (names, fullName) => {
  expect(nameInFull(place(names))).toBe(fullName);
});
