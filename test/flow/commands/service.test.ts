import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { sendJson, startNastyService } from '../nasty-service.ts';
import {
  createCommandWorld,
  createOwner,
  expectGolden,
  goldenNow,
  indent,
} from './command-world.ts';
import { createNetworkWorld } from './service-world.ts';

type World = Awaited<ReturnType<typeof createNetworkWorld>>;

/** Runs a command line that has to work, and gives what it wrote in golden form. */
async function show(
  { run, maskForGolden }: World,
  line: string,
  columns?: number,
): Promise<string> {
  const { exitCode, stdout, stderr } = await run(line.split(' '), { columns });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return maskForGolden(line.endsWith('--json') ? indent(stdout) : stdout);
}

const lines = {
  clients: 'service clients',
  locations: 'service locations',
  'locations-found': 'service locations new',
  'locations-near': 'service locations --distance 0.2 berln',
  providers: 'service providers',
  'providers-place': 'service providers berlin --count 2',
  spec: 'service spec streaming in germany',
  reliability: 'service reliability',
  leaderboard: 'service leaderboard',
} as const;

describe('every command of the group', () => {
  test.each(Object.entries(lines))(
    'shows people and scripts what it found: %s',
    async (name, line) => {
      const world = await createNetworkWorld();
      await expectGolden(`network-${name}-80.txt`, await show(world, line, 80));
      await expectGolden(`network-${name}.json`, await show(world, `${line} --json`));
    },
  );

  test.each(['clients', 'locations', 'providers', 'reliability'] as const)(
    'loses nothing in a pipe, and fits a narrow terminal: %s',
    async (name) => {
      const world = await createNetworkWorld();
      const narrow = await show(world, lines[name], 50);
      await expectGolden(`network-${name}-50.txt`, narrow);
      await expectGolden(`network-${name}-pipe.txt`, await show(world, lines[name]));
      expect(narrow.split('\n').filter((line) => stringWidth(line) > 50)).toEqual([]);
    },
  );

  test('finds the same in production', async () => {
    const documented = await createNetworkWorld();
    const production = await createNetworkWorld('production');
    // Such a service reads no sentences.
    const { spec: _spec, ...others } = lines;
    for (const line of Object.values(others)) {
      const shown = JSON.parse(await show(production, `${line} --json`));
      const wanted = JSON.parse(await show(documented, `${line} --json`));
      if (line === lines.clients) {
        // There, a client's network is not said, and it has no mode before one is published.
        expect(shown.clients.length).toBeGreaterThan(0);
        for (const client of shown.clients)
          expect(client).toMatchObject({ networkId: null, provideMode: null });
        for (const client of wanted.clients)
          Object.assign(client, { networkId: null, provideMode: null });
      }
      // Times have more digits there; ids of chance are numbered, and one less is shown there.
      const plain = (view: unknown) =>
        JSON.stringify(view)
          .replaceAll('000000Z', 'Z')
          .replaceAll(/"(connection|device|instance|resident)Id":"[^"]*"/g, '"$1Id":"an id"');
      expect(JSON.parse(plain(shown))).toEqual(JSON.parse(plain(wanted)));
    }
  });

  test.each([
    [
      'service spec germany',
      '/network/create-provider-spec',
      'Places by their names: tributary service locations WORDS',
    ],
    [
      'service providers germany --ids',
      '/network/find-providers',
      'Without --ids, the providers are found there, too: tributary service providers',
    ],
    [
      'account upgrade --user-auth ada@example.org --name ada',
      '/auth/upgrade-guest',
      "Make the network permanent in the service's own app or on its website, then: tributary login",
    ],
  ])('says before it asks what production does not serve: %s', async (line, path, action) => {
    const { run } = await createNetworkWorld('production');
    expect(await run(line.split(' '))).toEqual({
      exitCode: 69,
      stdout: '',
      stderr: `tributary: POST ${path}: services of the profile production do not have this operation\n  > ${action}\n`,
    });
  });

  test('names a place that a sentence is about, also where it has no provider', async () => {
    const { run } = await createCommandWorld();
    const { stdout } = await run([
      'service',
      'spec',
      'something',
      'fast',
      'in',
      'portugal',
      '--json',
    ]);
    expect(JSON.parse(stdout).specs).toContainEqual(
      expect.objectContaining({ name: 'Portugal', type: 'country', providerCount: 0 }),
    );
  });

  test('names places that the sentence does not name, by what the service says of their ids', async () => {
    const { run } = await createCommandWorld();
    const words = 'service spec fast servers in germany not berlin'.split(' ');
    const { stdout } = await run(words);
    expect(stdout.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/^Bavaria, Germany +region +0 {2}--location /),
      expect.stringMatching(/^Hamburg, Germany +region +0 {2}--location /),
      expect.stringMatching(/^Hesse, Germany +region +0 {2}--location /),
    ]);
  });

  test('says of a place that the service names nowhere that it has no providers', async () => {
    await using elsewhere = await startNastyService((request, response) => {
      const specs = request.path.endsWith('spec') ? [{ location_id: 'unheard-of' }] : [];
      sendJson({ specs })(request, response);
    });
    const { run } = await createOwner(elsewhere.baseUrl, 'documented', 'a.token.here', {
      nowMs: goldenNow,
    });
    const { stdout } = await run(['service', 'spec', 'somewhere']);
    expect(stdout).toMatch(/^a place without providers +- +- +--location unheard-of$/m);
  });

  test.each([
    ['clients', 'No clients yet. To register this device: sudo systemctl start tributary\n'],
    [
      'locations nowhere',
      'No place is called nowhere. Try tributary service locations nowhere --near\n',
    ],
    [
      'locations --near xyzzy',
      'No place is called xyzzy. All places: tributary service locations\n',
    ],
    [
      'providers --location nope',
      'No provider is online in nope now, if there is such a place. To see where some are: tributary service locations\n',
    ],
    [
      'providers --client nope',
      'No provider with the id nope is online now. To see where some are: tributary service locations\n',
    ],
    [
      'providers portugal',
      'In Portugal (country)\nNo provider is online there now. To see where some are: tributary service locations\n',
    ],
    [
      'providers',
      'No provider is online now. To see where some are: tributary service locations\n',
    ],
    ['leaderboard', 'No network has provided anything yet.\n'],
  ])('says what to do where there is nothing: %s', async (line, stdout) => {
    const { run } = await createCommandWorld();
    expect(await run(['service', ...line.split(' ')])).toEqual({ exitCode: 0, stdout, stderr: '' });
  });

  test.each([
    ['locations --near', '--near needs the name of a place'],
    ['locations --distance 0.2', '--distance needs the name of a place'],
    ['locations berlin --distance 1.5', '--distance 1.5: it must be a fraction from 0 to 1'],
    ['locations --distance berlin', '--distance berlin: it must be a fraction from 0 to 1'],
    ['providers --count none', '--count none: it must be a whole number'],
    ['providers --count 0', '--count 0: it must be a whole number'],
    ['providers --ids --client abc', '--client with --ids'],
    ['providers berlin --ids --location abc', '--ids: either berlin, or --location and --group'],
    [
      'providers atlantis',
      'no place is called atlantis\n  > Similar names: tributary service locations atlantis --near\n',
    ],
    ['spec', "missing required argument 'words'"],
  ])('refuses what it cannot do, and says what it could: %s', async (line, message) => {
    const { run } = await createCommandWorld();
    const { exitCode, stdout, stderr } = await run(['service', ...line.split(' ')]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('is not led astray by what places, networks and ids are called', async () => {
    const name = '\u001b[2J\u001b]0;gone\u0007\r\n\u202e東京';
    const locations = [
      { location_id: name, location_type: name, name, country: name, country_code: name },
    ];
    const groups = [{ location_group_id: name, name, promoted: true }];
    const places = {
      locations,
      groups,
      specs: [{ location_id: name }],
      devices: [{ client_id: name, device_name: name }],
    };
    const country_multipliers = [{ country: name, country_code: name }];
    const answers: Readonly<Record<string, object>> = {
      '/network/provider-locations': places,
      '/network/find-locations': places,
      '/network/find-providers2': { providers: [{ client_id: name, intermediary_ids: [name] }] },
      '/network/find-providers': { client_ids: [name] },
      '/network/create-provider-spec': {
        specs: [{ location_id: name }, { location_group_id: 'unknown' }],
      },
      '/network/reliability': {
        reliability_window: { mean_reliability_weight: 1, country_multipliers },
      },
      '/stats/leaderboard': {
        earners: [{ network_id: name, network_name: name, net_mib_count: 1 }],
      },
    };
    await using strange = await startNastyService((request, response) => {
      sendJson(answers[request.path])(request, response);
    });
    const { run } = await createOwner(strange.baseUrl, 'documented', 'a.token.here', {
      nowMs: goldenNow,
    });
    const { clients, ...others } = lines;
    for (const line of [...Object.values(others), 'service providers berlin --ids']) {
      const { exitCode, stdout, stderr } = await run(line.split(' '), { columns: 80 });
      expect({ line, exitCode }).toEqual({ line, exitCode: 0 });
      expect(stdout).toContain('東京');
      expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  test('needs a sign-in only where it is about the own network', async () => {
    const { run, store } = await createNetworkWorld();
    const state = await store.peek();
    if (state !== undefined) await store.write({ ...state, token: undefined });
    const exitCodes: Record<string, number> = {};
    for (const [name, line] of Object.entries(lines))
      exitCodes[name] = (await run(line.split(' '))).exitCode;
    const isPublic = {
      locations: 0,
      'locations-found': 0,
      'locations-near': 0,
      providers: 0,
      'providers-place': 0,
    };
    expect(exitCodes).toEqual({
      clients: 77,
      ...isPublic,
      spec: 77,
      reliability: 77,
      leaderboard: 77,
    });
  });
});

describe('tributary service clients', () => {
  test('lists only connected clients where that is asked for', async () => {
    const { run } = await createNetworkWorld();
    const { stdout } = await run(['service', 'clients', '--connected', '--json']);
    expect(JSON.parse(stdout).clients.map((client: { name: string }) => client.name)).toEqual([
      'kitchen',
      'attic',
    ]);
    const text = (await run(['service', 'clients', '--connected'])).stdout;
    expect(text).not.toContain('garden shed');
    expect(text).toContain(
      '3 clients, 2 connected.\nYour devices at a glance: tributary device list\n',
    );
  });

  test('shows no secret', async () => {
    const { run, get } = await createNetworkWorld();
    const { stdout } = await run(['service', 'clients', '--json']);
    const issued = JSON.stringify(await get('/network/clients'));
    const secrets = [
      ...issued.matchAll(/"(?:client_private_key|auth_token|config)":"([^"]+)"/g),
    ].map(([, text]) => text);
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.filter((secret) => stdout.includes(secret ?? ''))).toEqual([]);
  });

  test('is not led astray by what devices are called', async () => {
    const { run, registerNamed } = await createCommandWorld();
    const names = [
      '\u001b[2J\u001b]0;gone\u0007\r\nroot',
      '東京の屋根裏部屋',
      '🛖'.repeat(30),
      'x'.repeat(200),
      '\u202etxt',
    ];
    await registerNamed(names);
    for (const columns of [80, 50]) {
      const { stdout } = await run(['service', 'clients'], { columns });
      const rows = stdout.split('\n');
      expect(rows).toHaveLength(names.length + 5);
      expect(rows.filter((row) => stringWidth(row) > columns)).toEqual([]);
      expect(rows.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    const { clients } = JSON.parse((await run(['service', 'clients', '--json'])).stdout);
    expect(clients.map((client: { name: string }) => client.name)).toEqual(names);
  });
});

describe('tributary service providers', () => {
  test('leaves out whom it is told to', async () => {
    const { run } = await createNetworkWorld();
    const find = async (...words: string[]) =>
      JSON.parse((await run(['service', 'providers', ...words, '--json'])).stdout).providers.map(
        (provider: { clientId: string }) => provider.clientId,
      );
    const [first, second, ...rest] = await find();
    expect(await find('--exclude', `${first},${second}`)).toEqual(rest);
    expect(await find('--exclude', first, '--exclude', second)).toEqual(rest);
    expect(await find('--client', second)).toEqual([second]);
    expect(await find(second)).toEqual([second]);
  });

  test('looks in the place that is typed after the excluded providers', async () => {
    const { run } = await createNetworkWorld();
    const find = async (line: string) =>
      JSON.parse((await run(['service', 'providers', ...line.split(' '), '--json'])).stdout);
    const { providers, place } = await find('germany');
    const [first, ...rest] = providers.map(
      ({ clientId }: { readonly clientId: string }) => clientId,
    );
    const found = await find(`--exclude ${first} germany`);
    expect(found.place).toEqual(place);
    expect(found.providers.map(({ clientId }: { readonly clientId: string }) => clientId)).toEqual(
      rest,
    );
  });

  test('finds ids of a place, the own devices among them, one a line', async () => {
    const { run, devices } = await createNetworkWorld();
    await run(['device', 'provide', devices.attic, 'network']);
    const { stdout, stderr } = await run(['service', 'providers', 'france', '--ids']);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      devices.attic,
      '',
    ]);
    expect(stderr).toBe('In France (country)\n');
    const { providers } = JSON.parse(
      (await run(['service', 'providers', 'france', '--ids', '--json'])).stdout,
    );
    expect(providers[1]).toEqual({
      rank: 2,
      clientId: devices.attic,
      estimatedBytesPerSecond: null,
      tier: null,
      intermediaryIds: [],
    });
  });

  test('takes an id of a place or group as it is', async () => {
    const { run } = await createNetworkWorld();
    const { locations, groups } = JSON.parse(
      (await run(['service', 'locations', '--json'])).stdout,
    );
    const idOf = (name: string) =>
      locations.find((place: { name: string }) => place.name === name).locationId;
    const europe = groups.find(
      (group: { name: string }) => group.name === 'Europe',
    ).locationGroupId;
    const count = async (...words: string[]) =>
      JSON.parse((await run(['service', 'providers', ...words, '--json'])).stdout).providers.length;
    expect(await count('--location', idOf('Tokyo'))).toBe(1);
    expect(await count('--group', europe)).toBe(6);
    expect(await count('--group', europe, '--location', idOf('Tokyo'))).toBe(7);
    expect(await count('--ids', '--group', europe, '--exclude', idOf('Germany'))).toBe(2);
  });
});

describe('tributary service leaderboard', () => {
  test('shows every name where that is asked for', async () => {
    const { run } = await createNetworkWorld();
    const hidden = await run(['service', 'leaderboard']);
    expect(hidden.stdout).toContain('[hidden]');
    expect(hidden.stdout).not.toContain('Turd');
    expect((await run(['service', 'leaderboard', '--show-all'])).stdout).toContain('Turd Hill');
  });
});
