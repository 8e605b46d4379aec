import { describe, expect, test } from 'vitest';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { createWorld, type Place } from '../../src/reference-service/world.ts';
import { makeDirectory } from '../make-directory.ts';

const world = createWorld();
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function find(type: Place['type'], name: string): Place {
  const place = world.places.find((one) => one.type === type && one.name === name);
  if (place === undefined) throw new Error(`no ${type} ${name}`);
  return place;
}

describe('the world', () => {
  test('has an id of its own for every place and group', () => {
    const ids = [
      ...world.places.map((place) => place.locationId),
      ...world.groups.map((group) => group.groupId),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !uuid.test(id))).toEqual([]);
  });
  test('has the same ids for ever', () => {
    expect(createWorld().places).toEqual(world.places);
    // Written down: these ids lie in databases.
    expect(find('country', 'Germany').locationId).toBe('d73920fb-a8f7-516a-8dd4-a60047e93165');
    expect(find('region', 'Berlin').locationId).toBe('2c3f4797-6680-5954-b4d6-a547f4d34638');
    expect(find('city', 'Berlin').locationId).toBe('c96e91ec-7e46-5316-a968-1aa17011c037');
    expect(world.groups.find(({ name }) => name === 'Europe')?.groupId).toBe(
      '6632847c-e300-5cd1-865b-b981bffec41f',
    );
  });
  test('has every country once, in one continent', () => {
    const continents = world.groups
      .filter(({ promoted }) => !promoted)
      .flatMap(({ countryIds }) => countryIds);
    const countries = world.places
      .filter(({ type }) => type === 'country')
      .map(({ locationId }) => locationId);
    expect(continents.toSorted()).toEqual(countries.toSorted());
    const codes = world.places
      .filter(({ type }) => type === 'country')
      .map(({ countryCode }) => countryCode);
    expect(new Set(codes).size).toBe(codes.length);
  });
  test('puts forward groups of countries that there are', () => {
    const promoted = world.groups.filter((group) => group.promoted);
    expect(promoted.length).toBeGreaterThan(0);
    expect(
      promoted.flatMap(({ countryIds }) => countryIds).filter((id) => !world.findPlace(id)),
    ).toEqual([]);
  });
  test('finds the cities of every place, and none of an unknown one', () => {
    expect(
      world.places.filter(({ locationId }) => world.citiesOf(locationId).length === 0),
    ).toEqual([]);
    expect(world.citiesOf(find('region', 'Bavaria').locationId).map(({ city }) => city)).toEqual([
      'Munich',
      'Nuremberg',
    ]);
    expect(world.citiesOf('nowhere')).toEqual([]);
  });
  test.each([
    ['DE', 'Berlin'],
    ['de', 'Berlin'],
    ['XX', undefined],
  ])('has the main city of %s: %s', (code, city) => {
    expect(world.citiesOf(world.toCountryId(code))[0]?.city).toBe(city);
  });
  test('has its home where the database puts a client that nobody has placed', () => {
    using database = openDatabase(makeDirectory());
    const { networkId } = createNetworks(database, Date.now).ensureFirst();
    const text = { description: '', deviceSpec: '', sourceClientId: undefined, proxy: undefined };
    createClients(database, createProxies(database), Date.now).create({
      ...text,
      networkId,
      provideMode: 'public',
    });
    const row = database.prepare('select city_id, region_id, country_id from client').get();
    const { cityId, regionId, countryId } = world.home;
    expect(row).toEqual({ city_id: cityId, region_id: regionId, country_id: countryId });
  });
});
