import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { profileNames } from '../../src/service/profiles.ts';
import { makeDirectory, start } from './reference-caller.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const packages = ['openapi-fetch', 'openapi-typescript-helpers'];

/**
 * A program whose author has the description of the interface and the generator's client, and
 * nothing of ours.
 */
const program = `import createClient from 'openapi-fetch';
import type { operations, paths } from './interface.d.ts';
type Wish = operations['findProviders2']['requestBody']['content']['application/json'];
const { BASE_URL: baseUrl = '', AUTH_CODE: auth_code = '' } = process.env;
const anyone = createClient<paths>({ baseUrl });
const { data: login } = await anyone.POST('/auth/code-login', { body: { auth_code } });
const headers = { Authorization: \`Bearer \${login?.by_jwt}\` };
const owner = createClient<paths>({ baseUrl, headers });
const { data: registered } = await owner.POST('/network/auth-client', { body: { description: 'attic', device_spec: 'pi', proxy_config: { enable_wg: true, initial_device_state: { country_code: 'DE' } } } });
const { data: listed } = await owner.GET('/network/clients');
const names: readonly (string | null | undefined)[] = listed?.clients?.map(({ description }) => description) ?? [];
const wish: Wish = { specs: [{ best_available: true }], count: 3, rank_mode: 'quality' };
const { data: found } = await anyone.POST('/network/find-providers2', { body: wish });
const count: number | undefined = found?.providers?.length;
const keepalive: number | null | undefined = registered?.proxy_config_result?.keepalive_seconds;
const { error, response } = await anyone.GET('/account/wallets');
console.log(JSON.stringify({ names, count, keepalive, failure: [response.status, error] }));
`;
const wrong = `import createClient from 'openapi-fetch';
import type { paths } from './interface.d.ts';
const client = createClient<paths>({ baseUrl: '' });
client.GET('/network/nothing');
client.POST('/auth/code-login', { body: {} });
client.POST('/network/find-providers2', { body: { specs: [], rank_mode: 'cheap' } });
client.POST('/stats/providers-last-n', { body: { last_n: 'many' } });
`;

/** Lines that do not compile. */
function findWrongLines(compiled: string): readonly string[] {
  return [
    ...new Set(
      [...compiled.matchAll(/^([\w.]+)\((\d+),/gm)].map(([, file, line]) => `${file}:${line}`),
    ),
  ];
}

test.each(profileNames)(
  'a client that is generated from what the %s service says of itself compiles and works',
  async (profile) => {
    const service = await start({ profile });
    const folder = makeDirectory();
    await writeFile(
      join(folder, 'openapi.json'),
      await (await fetch(`${service.baseUrl}/openapi.json`)).text(),
    );
    const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
    const hook = ['--import', join(import.meta.dirname, 'openapi-typescript.ts')];
    await run(process.execPath, [...hook, generator, 'openapi.json', '-o', 'interface.d.ts'], {
      cwd: folder,
    });
    await mkdir(join(folder, 'node_modules'));
    for (const name of packages)
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(join(folder, 'program.ts'), program);
    await writeFile(join(folder, 'wrong.ts'), wrong);

    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const strict = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'es2024',
      '--lib',
      'es2024,dom',
    ];
    const modules = ['--module', 'nodenext', '--allowImportingTsExtensions'];
    const args = [...strict, ...modules, ...types, 'program.ts', 'wrong.ts'];
    // It ends with an error, because one of the files is wrong.
    const compiled = await run(join(root, 'node_modules/.bin/tsc'), args, { cwd: folder }).catch(
      (error) => error,
    );
    expect(findWrongLines(compiled.stdout)).toEqual([
      'wrong.ts:4',
      'wrong.ts:5',
      'wrong.ts:6',
      'wrong.ts:7',
    ]);

    const env = { ...process.env, BASE_URL: service.baseUrl, AUTH_CODE: service.authCode };
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject({
      names: ['attic'],
      keepalive: profile === 'production' ? 0 : 25,
      count: 1,
      failure: [401, expect.anything()],
    });
  },
);
