import { describe, expect, test } from 'vitest';
import { choosePlaces, type PlacesOptions, resolvePlaces } from '../../../src/config/places.ts';
import { load, makeFile, withService } from './config-fixture.ts';

describe('the state directory', () => {
  const rows: readonly (readonly [
    string,
    Pick<PlacesOptions, 'environment' | 'stateDirectory'>,
    string,
  ])[] = [
    ['is the usual one where nothing says otherwise', { environment: {} }, '/var/lib/tributary'],
    [
      "is systemd's first",
      { environment: { STATE_DIRECTORY: '/var/lib/a:/var/lib/b' } },
      '/var/lib/a',
    ],
    [
      "is the owner's before systemd's",
      { environment: { STATE_DIRECTORY: '/var/lib/a', TRIBUTARY_STATE_DIR: '/srv/b' } },
      '/srv/b',
    ],
    [
      "is the option's first of all",
      { stateDirectory: '/srv/c', environment: { TRIBUTARY_STATE_DIR: '/srv/b' } },
      '/srv/c',
    ],
    ['is absolute', { stateDirectory: '/srv/../state', environment: {} }, '/state'],
  ];
  test.each(rows)('%s', (_claim, options, expected) => {
    expect(choosePlaces(options).stateDirectory).toBe(expected);
  });
});

describe('the control socket', () => {
  const ofRoot = '/run/tributary/tributary.sock';
  const ofState = '/var/lib/tributary/tributary.sock';
  const rows: readonly (readonly [string, PlacesOptions, readonly string[]])[] = [
    ['of root is in /run', { environment: {}, userId: 0 }, [ofRoot, ofState]],
    [
      "of a user is in the session's directory",
      { environment: { XDG_RUNTIME_DIR: '/run/user/7' }, userId: 7 },
      ['/run/user/7/tributary/tributary.sock', ofState, ofRoot],
    ],
    [
      'of a user without a session is beside the state',
      { environment: {}, userId: 7 },
      [ofState, ofRoot],
    ],
    [
      "of a unit is in systemd's directory",
      { environment: { RUNTIME_DIRECTORY: '/run/a:/run/b' }, userId: 7 },
      ['/run/a/tributary.sock', ofState, ofRoot],
    ],
    [
      'of a state directory that is named is beside the state, whatever else runs here',
      { stateDirectory: '/srv/b', environment: { XDG_RUNTIME_DIR: '/run/user/0' }, userId: 0 },
      ['/srv/b/tributary.sock', ofRoot, '/run/user/0/tributary/tributary.sock'],
    ],
    [
      "is the owner's alone",
      { environment: { RUNTIME_DIRECTORY: '/run/a' }, socket: '/srv/s', userId: 0 },
      ['/srv/s'],
    ],
  ];
  test.each(rows)('%s', (_claim, options, expected) => {
    expect(choosePlaces(options).socketPaths).toEqual(expected);
  });

  const meant: readonly (readonly [string, PlacesOptions, string | undefined])[] = [
    ['any agent', { environment: { STATE_DIRECTORY: '/var/lib/a' } }, undefined],
    ['the agent of the state directory', { stateDirectory: '/srv/b', environment: {} }, '/srv/b'],
    [
      'the agent of the state directory',
      { environment: { TRIBUTARY_STATE_DIR: '/srv/b' } },
      '/srv/b',
    ],
    [
      'the agent of the usual state',
      { configPath: '/srv/c.yaml', environment: {} },
      '/var/lib/tributary',
    ],
    [
      'the agent of the usual state',
      { environment: { TRIBUTARY_CONFIG: '/srv/c.yaml' } },
      '/var/lib/tributary',
    ],
    [
      'whoever answers on the socket',
      { configPath: '/srv/c.yaml', socket: '/srv/s', environment: {} },
      undefined,
    ],
    [
      'the agent of the state',
      { stateDirectory: '/srv/b', socket: '/srv/s', environment: {} },
      '/srv/b',
    ],
  ];
  test.each(meant)('is asked for %s: %j', (_claim, options, expected) => {
    expect(choosePlaces(options).onlyOf).toBe(expected);
  });

  test('is known with the configuration', async () => {
    expect((await load(withService('status: { socket: /srv/s }'))).socketPaths).toEqual(['/srv/s']);
  });
});

describe('a command finds the socket', () => {
  const rows: readonly (readonly [string, string, NodeJS.ProcessEnv, string])[] = [
    ['that the file names', withService('status: { socket: /srv/s }'), {}, '/srv/s'],
    ['that a file with errors names', 'status: { socket: /srv/s }\nprovide: 5\n', {}, '/srv/s'],
    [
      'that the environment names',
      'status: { socket: /srv/s }',
      { TRIBUTARY_STATUS_SOCKET: '/srv/t' },
      '/srv/t',
    ],
    [
      'in the usual place where the file makes no sense',
      '}{',
      { RUNTIME_DIRECTORY: '/run/a' },
      '/run/a/tributary.sock',
    ],
  ];
  test.each(rows)('%s', async (_claim, text, environment, expected) => {
    expect((await resolvePlaces({ configPath: makeFile(text), environment })).socketPaths[0]).toBe(
      expected,
    );
  });
});
