import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { findCity } from '../../src/reference-service/place-search.ts';
import {
  createProviderDirectory,
  type ProviderRequest,
} from '../../src/reference-service/provider-directory.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { createWorld } from '../../src/reference-service/world.ts';
import type { ProvideMode } from '../../src/service/profiles.ts';
import { makeDirectory } from '../make-directory.ts';
import { listPlans } from './query-plan.ts';

const world = createWorld();

interface Settings {
  readonly network: string;
  readonly mode: ProvideMode;
  readonly place: string;
  readonly quality: number;
  readonly isOnline: boolean;
}

/** A directory whose clients go by their descriptions. */
function open() {
  const database = openDatabase(makeDirectory());
  const networks = createNetworks(database, Date.now);
  const clients = createClients(database, createProxies(database), Date.now);
  const directory = createProviderDirectory(database);
  const networkIds = new Map(
    ['mine', 'theirs'].map((name) => [name, networks.create(name).networkId]),
  );
  const idOf = (network: string) => networkIds.get(network) ?? '';
  const set = database.prepare('update client set is_online = ?, quality = ? where client_id = ?');
  const add = (description: string, settings: Partial<Settings> = {}) => {
    const {
      network = 'theirs',
      mode = 'public',
      place = 'Berlin',
      quality = 0.5,
      isOnline = true,
    } = settings;
    const text = { description, deviceSpec: '', sourceClientId: undefined, proxy: undefined };
    const places = { place: findCity(world, place), provideMode: mode };
    const { clientId } = clients.create({ ...text, ...places, networkId: idOf(network) });
    set.run(Number(isOnline), quality, clientId);
    return clientId;
  };
  const find = (more: Partial<ProviderRequest> = {}) =>
    directory.find({ count: 10, ...more }).map(({ description }) => description);
  /** With the network `mine`, by which it was added. */
  const share = (
    clientId: string,
    { isConfirmed, code = 'a code' }: { readonly isConfirmed: boolean; readonly code?: string },
  ) =>
    database
      .prepare(
        `insert or replace into share (code, network_id, client_id, device_name, created_ms, guest_network_id, confirmed_ms)
         values (?, ?, ?, 'shared', 0, ?, ?)`,
      )
      .run(code, idOf('theirs'), clientId, idOf('mine'), isConfirmed ? 1 : null);
  const countIn = (name: string) => {
    const found = [...world.places, ...world.groups].find((one) => one.name === name);
    return found === undefined ? undefined : directory.countProviders()(found);
  };
  return { database, clients, directory, idOf, set, add, find, share, countIn };
}

const anywhere = { cityIds: undefined, clientId: undefined };

function inPlace(...names: readonly string[]) {
  const places = [...world.places, ...world.groups].filter(({ name }) => names.includes(name));
  const ids = places.flatMap((place) =>
    world.citiesOf(place.type === 'group' ? place.groupId : place.locationId),
  );
  return { cityIds: new Set(ids.map(({ cityId }) => cityId)), clientId: undefined };
}

describe('a search', () => {
  test('gives the best first, and of equals the one that was registered earlier', () => {
    const { add, find } = open();
    add('fair', { quality: 0.5 });
    add('good', { quality: 0.9 });
    add('fair too', { quality: 0.5 });
    add('poor', { quality: 0.1 });
    expect(find()).toEqual(['good', 'fair', 'fair too', 'poor']);
    expect(find({ count: 2 })).toEqual(['good', 'fair']);
  });
  test('ranks across places, each of which may hold the best', () => {
    const { add, find } = open();
    for (const [name, place, quality] of [
      ['B1', 'Berlin', 0.9],
      ['B2', 'Berlin', 0.4],
      ['P1', 'Paris', 0.8],
      ['P2', 'Paris', 0.7],
    ] as const) {
      add(name, { place, quality });
    }
    expect(find({ choices: [inPlace('Germany', 'Paris')], count: 3 })).toEqual(['B1', 'P1', 'P2']);
    expect(find({ choices: [inPlace('Germany'), inPlace('Paris')], count: 3 })).toEqual([
      'B1',
      'P1',
      'P2',
    ]);
    expect(find({ choices: [inPlace('Paris'), inPlace('France'), anywhere] })).toEqual([
      'B1',
      'P1',
      'P2',
      'B2',
    ]);
  });
  test.each([
    ['a city', 'Munich', ['Munich']],
    ['a region', 'Bavaria', ['Munich', 'Nuremberg']],
    ['a country', 'Germany', ['Munich', 'Nuremberg', 'Hamburg']],
    ['a continent', 'Europe', ['Munich', 'Nuremberg', 'Hamburg', 'Zurich']],
    ['a promoted group', 'Fast Streaming', ['Munich', 'Nuremberg', 'Hamburg', 'Tokyo']],
    ['an unknown place', 'Atlantis', []],
  ])('of %s finds who is there', (_, name, expected) => {
    const { add, find } = open();
    for (const place of ['Munich', 'Nuremberg', 'Hamburg', 'Zurich', 'Tokyo'])
      add(place, { place });
    expect(find({ choices: [inPlace(name)] })).toEqual(expected);
  });
  test.each([
    ['default', true],
    ['none', false],
    ['network', false],
    ['friends', false],
    ['public', true],
    ['stream', true],
  ] as const)('finds a device of another network in mode %s: %j', (mode, isFound) => {
    const { add, find, idOf } = open();
    const clientId = add('theirs', { mode, place: 'Munich' });
    const expected = isFound ? ['theirs'] : [];
    expect(find()).toEqual(expected);
    expect(find({ networkId: idOf('mine') })).toEqual(expected);
    expect(find({ choices: [{ ...anywhere, clientId }] })).toEqual(expected);
    for (const name of ['Munich', 'Bavaria', 'Germany'])
      expect(find({ choices: [inPlace(name)] })).toEqual(expected);
  });
  test('finds the own devices that serve the own network, in the place that is asked for', () => {
    const { add, find, idOf } = open();
    add('own', { network: 'mine', mode: 'network', quality: 0.9 });
    add('own in Paris', { network: 'mine', mode: 'friends', place: 'Paris' });
    add('own but none', { network: 'mine', mode: 'none' });
    add('theirs', { mode: 'network' });
    add('public', { quality: 0.7 });
    const networkId = idOf('mine');
    expect(find({ networkId })).toEqual(['own', 'public', 'own in Paris']);
    expect(find({ networkId, choices: [inPlace('France')] })).toEqual(['own in Paris']);
    expect(find({ networkId: idOf('theirs') })).toEqual(['public', 'theirs']);
  });
  test('finds a device that is shared with the network, while it provides to friends', () => {
    const { add, find, idOf, share, set } = open();
    const clientId = add('shared', { mode: 'friends', place: 'Paris' });
    add('another of theirs', { mode: 'friends' });
    const networkId = idOf('mine');
    expect(find({ networkId })).toEqual([]);
    share(clientId, { isConfirmed: false });
    expect(find({ networkId })).toEqual([]);
    share(clientId, { isConfirmed: true });
    expect(find({ networkId })).toEqual(['shared']);
    expect(find({ networkId, choices: [inPlace('France')] })).toEqual(['shared']);
    expect(find({ networkId, choices: [inPlace('Berlin')] })).toEqual([]);
    expect(find()).toEqual([]);
    set.run(0, 0.5, clientId);
    expect(find({ networkId })).toEqual([]);
  });
  test('finds a device once that is shared twice, as older databases may have it', () => {
    const { add, find, idOf, share } = open();
    const clientId = add('shared', { mode: 'friends' });
    add('public', { quality: 0.4 });
    for (const code of ['one', 'another']) share(clientId, { isConfirmed: true, code });
    expect(find({ networkId: idOf('mine') })).toEqual(['shared', 'public']);
  });
  test.each(['none', 'network'] as const)('finds no shared device in mode %s', (mode) => {
    const { add, find, idOf, share } = open();
    share(add('shared', { mode }), { isConfirmed: true });
    expect(find({ networkId: idOf('mine') })).toEqual([]);
  });
  test('leaves out who is excluded, and fills up with the next', () => {
    const { add, find } = open();
    const excludedClientIds = new Set([add('1', { quality: 0.9 }), add('2', { quality: 0.8 })]);
    add('3', { quality: 0.7 });
    add('4', { quality: 0.6, place: 'Paris' });
    expect(find({ excludedClientIds, count: 2 })).toEqual(['3', '4']);
    expect(find({ excludedClientIds, choices: [inPlace('Berlin')], count: 2 })).toEqual(['3']);
    const named = [...excludedClientIds].map((clientId) => ({ ...anywhere, clientId }));
    expect(find({ excludedClientIds, choices: named })).toEqual([]);
  });
  test('gives each once, however many choices it fits', () => {
    const { add, find } = open();
    const clientId = add('1');
    const choices = [
      anywhere,
      inPlace('Berlin'),
      { ...anywhere, clientId },
      { ...anywhere, clientId },
    ];
    expect(find({ choices })).toEqual(['1']);
  });
  test('of a client in a place wants both', () => {
    const { add, find } = open();
    const clientId = add('1');
    expect(find({ choices: [{ ...inPlace('Berlin'), clientId }] })).toEqual(['1']);
    expect(find({ choices: [{ ...inPlace('Paris'), clientId }] })).toEqual([]);
  });
  test('ends with the connection', () => {
    const { add, find, set } = open();
    const clientId = add('1');
    set.run(0, 0.5, clientId);
    expect(find()).toEqual([]);
  });
  test('can be repeated: one that stopped early leaves nothing behind', () => {
    const { add, find, database } = open();
    for (let index = 0; index < 50; index += 1) add(`${index}`);
    for (let index = 0; index < 3; index += 1) expect(find({ count: 1 })).toEqual(['0']);
    // A statement that is still being read would forbid it.
    database.exec('drop index client_offer');
  });
});

describe("a network's own devices", () => {
  test('are those that are connected and provide, best first', () => {
    const { add, directory, idOf } = open();
    add('theirs');
    add('own', { network: 'mine', mode: 'network', quality: 0.2 });
    add('own and public', { network: 'mine', quality: 0.4 });
    add('away', { network: 'mine', isOnline: false });
    add('off', { network: 'mine', mode: 'none' });
    const list = (count: number) =>
      directory.listOwn(idOf('mine'), count).map(({ description }) => description);
    expect(list(10)).toEqual(['own and public', 'own']);
    expect(list(1)).toEqual(['own and public']);
  });
});

describe('the number of providers of a place', () => {
  test('follows the connection, the mode and the place of each', () => {
    const { add, set, clients, countIn } = open();
    const counts = () =>
      ['Munich', 'Bavaria', 'Germany', 'Europe', 'Paris', 'Fast Streaming'].map(countIn);
    const clientId = add('1', { place: 'Munich', isOnline: false });
    expect(counts()).toEqual([0, 0, 0, 0, 0, 0]);
    set.run(1, 0.5, clientId);
    expect(counts()).toEqual([1, 1, 1, 1, 0, 1]);
    clients.setProvideMode(clientId, 'network');
    expect(counts()).toEqual([0, 0, 0, 0, 0, 0]);
    clients.setProvideMode(clientId, 'stream');
    clients.move(clientId, findCity(world, 'Paris'));
    expect(counts()).toEqual([0, 0, 0, 1, 1, 1]);
    add('2', { place: 'Paris', mode: 'friends' });
    add('3', { place: 'Nuremberg' });
    expect(counts()).toEqual([0, 1, 1, 2, 1, 2]);
    set.run(0, 0.5, clientId);
    expect(counts()).toEqual([0, 1, 1, 1, 0, 1]);
  });

  test('follow what another connection writes', () => {
    const { database, add, countIn } = open();
    const clientId = add('1', { place: 'Berlin' });
    expect([countIn('Berlin'), countIn('Berlin')]).toEqual([1, 1]);
    const { file } = database.prepare('pragma database_list').get() as { readonly file: string };
    const other = openDatabase(dirname(file));
    other.prepare('update client set is_online = 0 where client_id = ?').run(clientId);
    expect(countIn('Berlin')).toBe(0);
    other.close();
  });
});

test('what was made is kept for its key until something is written, here or by another connection', () => {
  const { directory, add, database } = open();
  const clientId = add('1');
  const make = (key: string) => directory.keepUntilWritten(key, () => ({ key }));
  const first = make('first');
  expect(make('second')).toEqual({ key: 'second' });
  expect(make('first')).toBe(first);
  database.prepare('update client set is_online = 0 where client_id = ?').run(clientId);
  const second = make('first');
  expect(second).not.toBe(first);
  const { file } = database.prepare('pragma database_list').get() as { readonly file: string };
  const other = openDatabase(dirname(file));
  other.prepare('update client set is_online = 1 where client_id = ?').run(clientId);
  other.close();
  const third = make('first');
  expect(third).not.toBe(second);
  // Callers choose some of the keys.
  for (let index = 0; index < 50; index += 1) make(`${index}`);
  expect(make('first')).not.toBe(third);
});

test('every question is answered from an index of its own, in its order', async () => {
  const plans = await listPlans(createProviderDirectory, (directory) => {
    directory.find({ count: 9 });
    directory.find({ count: 9, choices: [inPlace('Berlin')], networkId: 'home' });
    directory.listOwn('home', 9);
    directory.countProviders();
    directory.keepUntilWritten('anything', () => ({}));
  });
  const search = (index: string) => `SEARCH client USING INDEX ${index}`;
  expect(plans.map(({ steps }) => steps)).toEqual([
    [search('client_offer (offer=?)')],
    // As many as the caller named.
    [
      expect.stringMatching(/^SCAN json_each /),
      search('sqlite_autoindex_client_1 (client_id=?)'),
      expect.any(String),
    ],
    [search('client_offer_city (city_id=? AND offer=?)')],
    [search('client_offer_network (network_id=? AND offer=?)')],
    // As many as are shared with the network.
    [
      'SEARCH share USING INDEX share_guest (guest_network_id=?)',
      search('sqlite_autoindex_client_1 (client_id=?)'),
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    // Whether anything was written since.
    ['SCAN CONSTANT ROW'],
    [],
    // As many as there are places.
    ['SCAN location_count'],
  ]);
});
