import { describe, expect, test } from 'vitest';
import { createAssociations } from '../../src/reference-service/associations.ts';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { hasCode } from '../../src/reference-service/errors.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { servedProfiles } from '../../src/reference-service/profile.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { makeDirectory } from '../make-directory.ts';
import { listScans } from './query-plan.ts';

const profile = servedProfiles.documented;

const text = { description: '', deviceSpec: '', provideMode: 'public' } as const;
const startMs = 1_800_000_000_000;

/** Three networks; the first one, `home`, has a device with a tunnel. */
function open({ clientLimit = 100 } = {}) {
  const clock = { nowMs: startMs };
  const now = () => clock.nowMs;
  const database = openDatabase(makeDirectory());
  const networks = createNetworks(database, now);
  const proxies = createProxies(database);
  const clients = createClients(database, proxies, now);
  const associations = createAssociations(database, clients, { profile, clientLimit, now });
  const [home = '', aunt = '', friend = ''] = ['home', 'aunt', 'friend'].map(
    (name) => networks.create(name).networkId,
  );
  const proxy = { needsUrls: false, needsTunnel: true };
  const device = {
    description: 'shed',
    deviceSpec: 'pi',
    sourceClientId: undefined,
    provideMode: 'public',
    proxy,
  } as const;
  const { clientId } = clients.create({ ...device, networkId: home });
  const share = (networkId = home, id = clientId) =>
    associations.createShareCode({ networkId, clientId: id, deviceName: 'the shed' });
  const handOver = (durationMinutes = 30) =>
    associations.createAdoptCode({
      networkId: home,
      clientId,
      deviceName: 'the shed',
      durationMinutes,
    });
  const listClients = (networkId: string) =>
    [...clients.listPages(networkId)].flatMap((page) => page.clients);
  return {
    clock,
    database,
    clients,
    listClients,
    proxies,
    associations,
    home,
    aunt,
    friend,
    clientId,
    share,
    handOver,
  };
}

/** What was said to a wish that was refused; undefined for one that was not. */
function refusalOf(wish: () => unknown): string | undefined {
  try {
    wish();
    return undefined;
  } catch (error) {
    return hasCode(error, 'usage-invalid') ? error.message : `not a refusal: ${error}`;
  }
}

describe('a shared device', () => {
  test('waits with its owner until another network adds it', () => {
    const { associations, home, aunt, clientId, share } = open();
    const code = share();
    const nothing = { adoptions: [], incoming: [], outgoing: [] };
    const device = { code, deviceName: 'the shed', clientId };
    expect(associations.list(home)).toEqual({
      ...nothing,
      outgoing: [{ ...device, networkName: null, isPending: 1 }],
    });
    expect(associations.list(aunt)).toEqual(nothing);
    const added = associations.add(aunt, code);
    const assigned = added.type === 'share' ? added.clientId : '';
    expect(associations.list(home)).toEqual({
      ...nothing,
      outgoing: [{ ...device, networkName: 'aunt', isPending: 0 }],
    });
    const incoming = [{ ...device, clientId: assigned, networkName: 'home', isPending: 0 }];
    expect(associations.list(aunt)).toEqual({ ...nothing, incoming });
  });

  test('becomes a client that was never signed in and holds no tunnel', () => {
    const { associations, listClients, proxies, aunt, clientId, share } = open();
    associations.add(aunt, share());
    const [added] = listClients(aunt);
    expect(added).toMatchObject({
      sourceClientId: clientId,
      description: 'the shed',
      authenticatedMs: 0,
    });
    expect(proxies.find(added?.clientId ?? '')).toBeUndefined();
  });

  test('can be shown to several networks, to each by a code of its own', () => {
    const { associations, home, aunt, friend, share } = open();
    for (const network of [aunt, friend]) associations.add(network, share());
    expect(associations.list(home).outgoing.map((device) => device.networkName)).toEqual([
      'aunt',
      'friend',
    ]);
  });

  test('is added by a network once: a second code of it leaves no client, and stays good', () => {
    const { associations, aunt, friend, share, listClients } = open();
    associations.add(aunt, share());
    const code = share();
    expect(refusalOf(() => associations.add(aunt, code))).toBe(
      'The device is shared with this network already.',
    );
    expect(listClients(aunt)).toHaveLength(1);
    expect(associations.add(friend, code).type).toBe('share');
  });
  test('is neither shared on nor handed over by whom it was shared with', () => {
    const { associations, listClients, aunt, share } = open();
    associations.add(aunt, share());
    const offer = {
      networkId: aunt,
      clientId: listClients(aunt)[0]?.clientId ?? '',
      deviceName: 'mine now',
    };
    expect(refusalOf(() => associations.createShareCode(offer))).toMatch(/belongs to/);
    expect(refusalOf(() => associations.createAdoptCode({ ...offer, durationMinutes: 1 }))).toMatch(
      /belongs to/,
    );
  });
});

describe('a device that is handed over', () => {
  test('moves with its tunnel, under the name that the code gave it', () => {
    const { associations, listClients, proxies, home, aunt, clientId, handOver } = open();
    const tunnel = proxies.find(clientId)?.tunnel;
    const code = handOver();
    expect(associations.list(home).adoptions).toMatchObject([
      { code, deviceName: 'the shed', durationMinutes: 30 },
    ]);
    expect(associations.add(aunt, code)).toMatchObject({ type: 'adopt' });
    expect([listClients(home), associations.list(home).adoptions]).toEqual([[], []]);
    expect(listClients(aunt)).toMatchObject([
      { clientId, description: 'the shed', deviceSpec: 'pi' },
    ]);
    expect(proxies.find(clientId)?.tunnel).toEqual(tunnel);
  });

  test.each([
    [1, 59_999, true],
    [1, 60_000, false],
    [0.5, 30_000, false],
  ])('within %d minutes: after %i ms that is %s', (minutes, laterMs, isGood) => {
    const { associations, clock, home, aunt, handOver } = open();
    const code = handOver(minutes);
    clock.nowMs += laterMs;
    expect(associations.list(home).adoptions).toHaveLength(isGood ? 1 : 0);
    expect(refusalOf(() => associations.add(aunt, code))).toBe(
      isGood ? undefined : 'Invalid, expired or used code.',
    );
  });

  test('takes nobody else along: its other codes are worth nothing any more', () => {
    const { associations, home, aunt, friend, share, handOver } = open();
    const others = [share(), handOver(60)];
    associations.add(aunt, handOver());
    for (const code of others)
      expect(refusalOf(() => associations.add(friend, code))).toMatch(/^Invalid/);
    expect(associations.list(home)).toEqual({ adoptions: [], incoming: [], outgoing: [] });
    expect(associations.list(aunt)).toEqual({ adoptions: [], incoming: [], outgoing: [] });
  });

  test('stays shared with whom it was shared, by its new owner', () => {
    const { associations, home, aunt, friend, share, handOver } = open();
    associations.add(friend, share());
    associations.add(aunt, handOver());
    expect(associations.list(home).outgoing).toEqual([]);
    expect(associations.list(aunt).outgoing).toMatchObject([{ networkName: 'friend' }]);
    expect(associations.list(friend).incoming).toMatchObject([{ networkName: 'aunt' }]);
  });

  test('is no longer shared with the one that it came to', () => {
    const { associations, aunt, share, handOver } = open();
    associations.add(aunt, share());
    associations.add(aunt, handOver());
    expect(associations.list(aunt)).toEqual({ adoptions: [], incoming: [], outgoing: [] });
  });

  test('is derived from no client of another network, nor is one from it', () => {
    const { associations, clients, listClients, home, aunt, friend, clientId, share, handOver } =
      open();
    const source = clients.create({ ...text, networkId: home });
    const derived = clients.create({ ...text, networkId: home, sourceClientId: clientId });
    const others = clients.create({ ...text, networkId: home, sourceClientId: source.clientId });
    const shared = associations.add(friend, share());
    associations.add(aunt, handOver());
    const sources = [home, aunt, friend]
      .flatMap(listClients)
      .map((one) => [one.clientId, one.sourceClientId]);
    expect(sources).toEqual([
      [source.clientId, null],
      [derived.clientId, null],
      [others.clientId, source.clientId],
      [clientId, null],
      [shared.type === 'share' && shared.clientId, clientId],
    ]);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e9])('not for %d minutes', (minutes) => {
    const { handOver } = open();
    expect(refusalOf(() => handOver(minutes))).toMatch(/minutes/);
  });
});

describe('a code', () => {
  test('is ten capitals and digits that look like no other', () => {
    const { share, handOver } = open();
    const codes = Array.from({ length: 50 }, () => [share(), handOver()]).flat();
    expect(codes.filter((code) => !/^[A-HJ-NP-Z2-9]{10}$/.test(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test('may be typed in small letters, with blanks around', () => {
    const { associations, aunt, share } = open();
    expect(associations.add(aunt, ` ${share().toLowerCase()}\n`)).toMatchObject({ type: 'share' });
  });

  test.each(['share', 'handOver'] as const)(
    'made by %s is good once, and never for its own network',
    (make) => {
      const world = open();
      const code = world[make]();
      const add = (network: string) => refusalOf(() => world.associations.add(network, code));
      expect(add(world.home)).toMatch(/own device/);
      expect([add(world.aunt), add(world.friend), add(world.aunt)]).toEqual([
        undefined,
        'Invalid, expired or used code.',
        'Invalid, expired or used code.',
      ]);
    },
  );

  test('is not used up by a network that is full, which learns nothing about it', () => {
    const { associations, clients, home, aunt, friend, clientId, share } = open({ clientLimit: 1 });
    const codes = [share(), share()];
    associations.add(aunt, codes[0] ?? '');
    const [refused, unknown] = [codes[1] ?? '', 'AAAAAAAAAA'].map((code) =>
      refusalOf(() => associations.add(aunt, code)),
    );
    expect([refused, unknown]).toEqual([expect.stringMatching(/maximum of 1 client/), refused]);
    expect([clients.count(aunt), clients.find(home, clientId)?.clientId]).toEqual([1, clientId]);
    expect(associations.add(friend, codes[1] ?? '')).toMatchObject({ type: 'share' });
  });

  test('that fails halfway leaves no client and stays good', () => {
    const { associations, listClients, database, aunt, share } = open();
    const code = share();
    database.exec(
      `create trigger broken before update on share begin select raise(abort, 'broken'); end`,
    );
    expect(() => associations.add(aunt, code)).toThrow('broken');
    expect(listClients(aunt)).toEqual([]);
    database.exec('drop trigger broken');
    expect(associations.add(aunt, code)).toMatchObject({ type: 'share' });
  });

  test("is not to be had for another network's client, nor for one that never was", () => {
    const { associations, aunt, clientId } = open();
    for (const id of [clientId, 'never-was']) {
      const offer = { networkId: aunt, clientId: id, deviceName: 'shed', durationMinutes: 1 };
      expect(refusalOf(() => associations.createShareCode(offer))).toBe('Client does not exist.');
      expect(refusalOf(() => associations.createAdoptCode(offer))).toBe('Client does not exist.');
    }
  });

  test.each([
    ['no character', '', false],
    ['blanks alone', '  ', false],
    ['a blank without width', '\u200b', false],
    ['a soft hyphen', '\u00ad', false],
    ['a pattern of no dots', '\u2800', false],
    ['a filler', '\u3164', false],
    ['one character', 'x', true],
    ['a hundred characters', '🛖'.repeat(100), true],
    ['one more', 'x'.repeat(101), false],
    ['a family of four', '👨‍👩‍👧‍👦', true],
    ['two lines', 'a\nb', false],
    ['an escape sequence', '\u001b[2Jx', false],
    ['a turned direction', 'a\u202eb', false],
    ['half a character', '\ud800', false],
  ])('for a name of %s', (_, deviceName, isGood) => {
    const { associations, home, clientId } = open();
    const refusal = refusalOf(() =>
      associations.createShareCode({ networkId: home, clientId, deviceName }),
    );
    expect(refusal).toBe(isGood ? undefined : 'A device name is one line of 1 to 100 characters.');
  });
});

test('a hundred share codes may wait; one that was added makes room for the next', () => {
  const { associations, aunt, share } = open({ clientLimit: 1000 });
  const codes = Array.from({ length: 100 }, () => share());
  expect(refusalOf(share)).toMatch(/maximum of 100 share codes/);
  associations.add(aunt, codes[0] ?? '');
  expect(refusalOf(share)).toBeUndefined();
});

test('every question is answered by an index', async () => {
  const now = () => startMs;
  const scans = listScans(
    (database) => {
      const clients = createClients(database, createProxies(database), now);
      return createAssociations(database, clients, { profile, clientLimit: 9, now });
    },
    (associations, database) => {
      const clients = createClients(database, createProxies(database), now);
      const networks = createNetworks(database, now);
      const [{ networkId }, guest] = [networks.create('home'), networks.create('aunt')];
      const text = { description: 'shed', deviceSpec: 'pi', provideMode: 'public' } as const;
      const { clientId } = clients.create({ ...text, networkId });
      const offer = { networkId, clientId, deviceName: 'the shed' };
      const shared = associations.createShareCode(offer);
      associations.add(guest.networkId, shared);
      associations.confirm(networkId, shared, 'aunt');
      associations.remove(networkId, shared);
      associations.add(
        guest.networkId,
        associations.createAdoptCode({ ...offer, durationMinutes: 1 }),
      );
      associations.list(networkId);
      associations.forget(networkId, clientId);
    },
  );
  expect(await scans).toEqual([]);
});
