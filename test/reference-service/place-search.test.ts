import { describe, expect, test } from 'vitest';
import {
  asksForBest,
  findByName,
  findCity,
  findInWords,
} from '../../src/reference-service/place-search.ts';
import { createWorld, type Findable, toComparable } from '../../src/reference-service/world.ts';

const world = createWorld();
const listNamesOf = (found: Findable) =>
  found.type === 'country' ? [...found.names, found.countryCode.toLowerCase()] : found.names;
const toText = ({ type, name }: Findable) => `${type} ${name}`;

test.each([
  ['  São   Paulo ', 'sao paulo'],
  ['Ile-de-France', 'ile de france'],
  ['東京', '東京'],
  ['!?', ''],
])('%j is compared as %j', (text, comparable) => {
  expect(toComparable(text)).toBe(comparable);
});

describe('a typed name', () => {
  test.each([
    ['Germany', ['country Germany']],
    ['germ', ['country Germany']],
    ['DE', ['country Germany', 'country Denmark', 'city Rio de Janeiro', 'city New Delhi']],
    ['berlin', ['region Berlin', 'city Berlin']],
    ['hague', ['city The Hague']],
    ['erlin', []],
    ['Köln', []],
    ['europe', ['group Europe']],
    ['holland', ['country Netherlands', 'region North Holland', 'region South Holland']],
    ['streaming', ['group Fast Streaming']],
    ['', []],
    ['?', []],
    ['東京', ['city Tokyo']],
    ['münchen', ['city Munich']],
    ['Bayern', ['region Bavaria']],
  ])('%j names what it is or begins a word of', (text, expected) => {
    const found = findByName(world, text);
    expect(found.map((match) => toText(match.found))).toEqual(expect.arrayContaining(expected));
    const isExact = (match: { found: Findable }) =>
      listNamesOf(match.found).includes(toComparable(text));
    for (const match of found)
      expect([toText(match.found), match.distance]).toEqual([
        toText(match.found),
        isExact(match) ? 0 : 0.5,
      ]);
    if (expected.length < 4) expect(found).toHaveLength(expected.length);
  });
  test.each([
    ['Germny', 0.25, 1],
    ['Grmany', 0.25, 1],
    ['Gremany', 0.25, 1],
    ['Gormzny', 0.25, undefined],
    ['Gormzny', 0.3, 2],
    ['Gormany', 0, undefined],
    ['Germany', 0.25, 0],
  ])('%j at a fraction of %d is %j edits from Germany', (text, fraction, distance) => {
    const match = findByName(world, text, fraction).find(({ found }) => found.name === 'Germany');
    expect(match?.distance).toBe(distance);
  });
  test.each([
    ['Paris, France', ['city Paris']],
    ['Berlin (DE)', ['region Berlin', 'city Berlin']],
    ['New York City', ['region New York', 'city New York']],
    ['the city of Rome in Italy', ['city Rome']],
    ['Deutschland', ['country Germany']],
    ['Paris, Texas', []],
    ['Paris, Germny', []],
    ['Berlin or Munich', []],
    ['a quiet place in Rome', []],
    // Countries that are not here: the beginnings and the likes of their names are other places.
    ['Island', ['country Iceland']],
    ['Niger', []],
    ['North Korea', []],
    ['Corée du Nord', []],
  ])('%j with what is around it names %j', (text, expected) => {
    const found = findByName(world, text);
    expect(found.map((match) => [toText(match.found), match.distance])).toEqual(
      expected.map((name) => [name, 0]),
    );
  });
  test('may not be endless', () => {
    expect(() => findByName(world, 'a'.repeat(201))).toThrow(/at most 200/);
    expect(findByName(world, 'a'.repeat(200), 0.1)).toEqual([]);
  });
});

describe('words', () => {
  test.each([
    ['fast streaming in Germany', ['group Fast Streaming', 'country Germany']],
    ['somewhere in Europe', ['group Europe']],
    ['something for movies', ['group Fast Streaming']],
    ['a provider in Munich or in Tokyo, please', ['city Munich', 'city Tokyo']],
    ['in germny', ['country Germany']],
    ['in swizerland', ['country Switzerland']],
    ['South Africa', ['country South Africa']],
    ['the UK', ['country United Kingdom']],
    ['from US to IT', ['country United States', 'country Italy']],
    ['is it in use at us or by no one', []],
    ['France, France and france', ['country France']],
    ['a while in a tram', []],
    ['Server in Deutschland', ['country Germany']],
    ['en Allemagne', ['country Germany']],
    ['日本', ['country Japan']],
    ['best', []],
    ['', []],
    // Words of a language, not slips or short names of countries in another one.
    ['parts of the north, on an island, with texts, 5 sec', []],
    ['Francia y Alemania', ['country France', 'country Germany']],
    ['ao sul', []],
  ])('%j name %j', (text, expected) => {
    expect(findInWords(world, text).wanted.map(toText)).toEqual(expected);
  });
  test.each([
    ['not in South America', [], ['group South America']],
    ['anywhere but Germany', [], ['country Germany']],
    ['europe, except Germany or FR', ['group Europe'], ['country Germany', 'country France']],
    ['not in Germany but in France', ['country France'], ['country Germany']],
    ['in Europe but not in Munich', ['group Europe'], ['city Munich']],
    ['not in Germany, for streaming', ['group Fast Streaming'], ['country Germany']],
    ['streaming not from the US', ['group Fast Streaming'], ['country United States']],
    ['not streaming', [], ['group Fast Streaming']],
    ['privacy but not streaming', ['group Strong Privacy Laws'], ['group Fast Streaming']],
    ['not Germany but streaming', ['group Fast Streaming'], ['country Germany']],
    ["I don't want Germany", [], ['country Germany']],
    ['no servers in Germany', [], ['country Germany']],
    ['everything other than Germany', [], ['country Germany']],
    ['apart from France', [], ['country France']],
    ['in NO, never in SE', ['country Norway'], ['country Sweden']],
    ['NOT IN GERMANY', [], ['country Germany']],
    ['FAST IN BERLIN', ['region Berlin', 'city Berlin'], []],
    ['WHAT IS IT', [], []],
    ['IT', ['country Italy'], []],
    ['Rome, Italy', ['city Rome'], []],
    ['Italy, Rome, Milan', ['city Rome', 'city Milan'], []],
    ['San Francisco in California', ['city San Francisco'], []],
    ['Berlin, Germany', ['region Berlin', 'city Berlin'], []],
    ['Germany or Berlin', ['country Germany', 'region Berlin', 'city Berlin'], []],
    ['Italy, not Rome', ['country Italy'], ['city Rome']],
    ['not in Rome, Italy', [], ['city Rome']],
    ['schnell in Deutschland, nicht Berlin', ['country Germany'], ['region Berlin', 'city Berlin']],
    ['streaming, United States', ['group Fast Streaming', 'country United States'], []],
  ])('%j name what is wanted, %j, and what is not, %j', (text, wanted, unwanted) => {
    const found = findInWords(world, text);
    expect([found.wanted.map(toText), found.unwanted.map(toText)]).toEqual([wanted, unwanted]);
  });
  test.each([
    ['north korea', [], ['north korea'], []],
    ['fast in Nordkorea or Japan', ['country Japan'], ['nordkorea'], []],
    ['South Korea, not North Korea', ['country South Korea'], [], ['north korea']],
    ['Asia but not China', ['group Asia'], [], ['china']],
    ['朝鲜', [], ['朝鲜'], []],
    ['Syria', [], ['syria'], []],
    ['Hong Kong', [], ['hong kong'], []],
    ['Styrla', ['region Styria'], [], []],
  ])('%j name %j, and of countries that are not here %j and, unwanted, %j', (text, ...expected) => {
    const { wanted, missing, unwantedMissing } = findInWords(world, text);
    expect([wanted.map(toText), missing, unwantedMissing]).toEqual(expected);
  });
  test.each([
    ['the best', true],
    ['Anything', true],
    ['FASTEST', true],
    ['Budapest', false],
    ['', false],
  ])('%j asks for the best: %j', (text, expected) => {
    expect(asksForBest(text)).toBe(expected);
  });
});

describe('the place of a client', () => {
  test.each([
    ['Munich', 'Munich'],
    ['bavaria', 'Munich'],
    ['germany', 'Berlin'],
    ['DE', 'Berlin'],
    ['uk', 'London'],
    ['reyk', 'Reykjavik'],
    ['Berlin', 'Berlin'],
    ['Singapore', 'Singapore'],
    [world.home.cityId, world.home.city],
  ])('%j is %j', (text, city) => {
    expect(findCity(world, text).city).toBe(city);
  });
  test.each([
    ['Munihc', /did you mean Munich/],
    ['san', /San Francisco/],
    ['Europe', /no one place/],
    ['xyzzy-quux', /no one place is called "xyzzy-quux"$/],
    ['', /no one place/],
  ])('%j is none', (text, message) => {
    expect(() => findCity(world, text)).toThrow(
      expect.objectContaining({ code: 'usage-invalid', message: expect.stringMatching(message) }),
    );
  });
});
