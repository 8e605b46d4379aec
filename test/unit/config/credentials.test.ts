import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderShownConfig, toShownConfig } from '../../../src/config/show.ts';
import { linesOf, load, makeDirectory, makeFile, withService } from './config-fixture.ts';

const code = '-secret-code-4711';

function makeCredentials(texts: Readonly<Record<string, string>>): string {
  const directory = makeDirectory();
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(directory, name), text);
  return directory;
}

describe('an auth code is found, without the white space around it', () => {
  const rows: readonly (readonly [string, () => NodeJS.ProcessEnv, string])[] = [
    ['in the environment', () => ({ TRIBUTARY_AUTH_CODE: code }), 'TRIBUTARY_AUTH_CODE'],
    [
      'in a file',
      () => ({ TRIBUTARY_AUTH_CODE_FILE: makeFile(`${code}\n`) }),
      'TRIBUTARY_AUTH_CODE_FILE',
    ],
    [
      "among systemd's credentials",
      () => ({ CREDENTIALS_DIRECTORY: makeCredentials({ 'auth-code': ` ${code}\n` }) }),
      'credential auth-code',
    ],
    [
      "in the environment before systemd's credentials",
      () => ({
        TRIBUTARY_AUTH_CODE: code,
        CREDENTIALS_DIRECTORY: makeCredentials({ 'auth-code': 'other' }),
      }),
      'TRIBUTARY_AUTH_CODE',
    ],
    [
      "among systemd's credentials where the environment has an empty one",
      () => ({
        TRIBUTARY_AUTH_CODE: '',
        CREDENTIALS_DIRECTORY: makeCredentials({ 'auth-code': code }),
      }),
      'credential auth-code',
    ],
  ];
  test.each(rows)('%s', async (_claim, createEnvironment, place) => {
    const { credentials, credentialPlaces } = await load(withService(), createEnvironment());
    expect(credentials.authCode?.reveal()).toBe(code);
    expect(credentialPlaces).toEqual({ authCode: place, networkJwt: undefined });
  });
});

test('a network JWT is found beside it', async () => {
  const directory = makeCredentials({ 'network-jwt': 'a.b.c', 'auth-code': '' });
  const { credentials } = await load(withService(), { CREDENTIALS_DIRECTORY: directory });
  expect(credentials.networkJwt?.reveal()).toBe('a.b.c');
  expect(credentials.authCode).toBeUndefined();
});

test('a secret that is given in two ways is an error, which does not show it', async () => {
  const environment = { TRIBUTARY_AUTH_CODE: code, TRIBUTARY_AUTH_CODE_FILE: makeFile(code) };
  const lines = await linesOf(withService(), environment);
  expect(lines).toEqual([
    'TRIBUTARY_AUTH_CODE_FILE: set together with TRIBUTARY_AUTH_CODE; allowed: only one of them',
  ]);
});

test('no way to print what was loaded shows a secret', async () => {
  const loaded = await load(withService(), {
    TRIBUTARY_AUTH_CODE: code,
    TRIBUTARY_NETWORK_JWT: code,
  });
  const shown = toShownConfig(loaded);
  const texts = [
    inspect(loaded, { depth: 10 }),
    JSON.stringify(loaded),
    JSON.stringify(shown),
    renderShownConfig(shown),
  ];
  for (const text of texts) {
    expect(text).toContain('[secret]');
    expect(text).not.toContain('4711');
  }
});

test.each(['short', 'with a blank in the middle', `${'x'.repeat(20)}\u00e9`])(
  'the token %j of the page is not taken',
  async (token) => {
    const lines = await linesOf(withService(), { TRIBUTARY_STATUS_TOKEN: token });
    expect(lines).toEqual([
      'TRIBUTARY_STATUS_TOKEN: not shown; allowed: 16 to 512 letters, digits and signs, without spaces',
    ]);
  },
);
