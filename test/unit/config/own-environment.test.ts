import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completeEnvironment, takeEnvironment } from '../../../src/config/own-environment.ts';
import { makeDirectory } from './config-fixture.ts';

function makeHome(): { readonly home: string; readonly file: string; readonly state: string } {
  const home = makeDirectory();
  const file = join(home, '.config/tributary/tributary.yaml');
  mkdirSync(join(home, '.config/tributary'), { recursive: true });
  writeFileSync(file, '');
  return { home, file, state: join(home, '.local/state/tributary') };
}

describe('a configuration of their own', () => {
  test('is used for an ordinary user who has one, with the user’s own state', () => {
    const { home, file, state } = makeHome();
    expect(completeEnvironment({ HOME: home }, 7)).toEqual({
      HOME: home,
      TRIBUTARY_CONFIG: file,
      TRIBUTARY_STATE_DIR: state,
    });
  });

  test('leaves the state where the environment puts it', () => {
    const { home, file } = makeHome();
    const given = { HOME: home, TRIBUTARY_STATE_DIR: '/srv/state' };
    expect(completeEnvironment(given, 7)).toEqual({ ...given, TRIBUTARY_CONFIG: file });
    const ofUnit = { HOME: home, STATE_DIRECTORY: '/var/lib/a' };
    expect(completeEnvironment(ofUnit, 7)).toEqual({ ...ofUnit, TRIBUTARY_CONFIG: file });
  });

  test.each([
    ['of root', 0, {}],
    ['beside one that the environment names', 7, { TRIBUTARY_CONFIG: '/srv/c.yaml' }],
    ['where the home has none', 7, { HOME: '/nonexistent' }],
    ['without a home', 7, { HOME: undefined }],
  ])('is not looked at %s', (_claim, userId, more) => {
    const given = { HOME: makeHome().home, ...more };
    expect(completeEnvironment(given, userId)).toEqual(given);
  });
});

test('the environment is taken out of the process, but for what every program may know', () => {
  const given = {
    PATH: '/bin',
    HOME: '/root',
    LC_TIME: 'C',
    TZ: 'UTC',
    TRIBUTARY_AUTH_CODE: 's3cret',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  };
  const left: NodeJS.ProcessEnv = { ...given };
  expect(takeEnvironment(left)).toEqual(given);
  expect(left).toEqual({ PATH: '/bin', HOME: '/root', LC_TIME: 'C', TZ: 'UTC' });
});

test.each([
  ['bin:/usr/bin::./x:../y:/bin', '/usr/bin:/bin'],
  [':/usr/bin:', '/usr/bin'],
  ['', undefined],
  ['.', undefined],
  [undefined, undefined],
])('no program is looked for in a relative folder of PATH=%s', (given, left) => {
  const environment: NodeJS.ProcessEnv = { ...(given !== undefined && { PATH: given }) };
  expect(takeEnvironment(environment).PATH).toBe(left);
  expect(environment.PATH).toBe(left);
});
