import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceClient } from '../../rolldown.config.ts';
import { errorKinds } from '../../src/errors/codes.ts';
import { serviceErrorCodes } from '../../src/service/errors.ts';
import { start } from './reference-caller.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/development/service.md'), 'utf8');
const consumer = mkdtempSync(join(tmpdir(), 'tributary-consumer-'));
const run = promisify(execFile);
const tsc = join(root, 'node_modules/.bin/tsc');
const ambient = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
const strict = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2024'];

/** The text of the guide's only block of this kind, unchanged. */
function findBlock(kind: string): string {
  const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  expect(blocks).toHaveLength(1);
  return blocks[0]?.[1] ?? '';
}

/** Runs a file of the consumer's; its standard output. */
async function runFile(
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run(process.execPath, [name], {
    cwd: consumer,
    env: { ...process.env, ...environment },
  });
  return stdout;
}

/** Files of the consumer's, written as they are here. */
const files: Readonly<Record<string, string>> = {
  'package.json': '{"type": "module"}',
  'example.ts': findBlock('ts'),
  'wrong.ts': `import { createServiceClient, type OperationResponse } from 'tributary-service';
const client = createServiceClient({ baseUrl: 'https://service.example' });
const { signal } = new AbortController();
client.call('nothing', undefined, { signal });
client.call('setProvide', { clientId: 'a', provideMode: 'public' }, { signal });
client.stream('reliability', undefined, { signal });
client.stream('providerLastN', { clientId: 'a', lastN: 1 }, { signal });
const answer: OperationResponse<'clients'> = await client.call('clients', undefined, { signal });
const id: number | undefined = answer.clients[0]?.clientId;
const name: string | undefined = answer.clients[0]?.deviceName;
console.log(id, name);
`,
  'typed.cts': `import service = require('tributary-service');
export const secret: service.Secret = new service.Secret('a');
`,
  'old.cjs': `const { Secret, operations } = require('tributary-service');
console.log(String(new Secret('a')), operations.clients.path);
`,
  'deep.mjs': "await import('tributary-service/service.cjs');",
};

let compiled = '';
let writtenOut = '';
let manifest: { readonly name: string; readonly dependencies: Readonly<Record<string, string>> };

/** Lines of a file that do not compile. */
function findWrongLines(name: string): readonly number[] {
  return [...compiled.matchAll(/^([\w.]+)\((\d+),/gm)]
    .filter(([, file]) => file === name)
    .map(([, , line]) => Number(line));
}

// A program elsewhere that installed what the build makes, and no source. It has what the package
// depends on, and nothing else.
beforeAll(async () => {
  const installed = join(consumer, 'node_modules/tributary-service');
  await build({
    ...serviceClient,
    cwd: root,
    output: { ...serviceClient.output, dir: installed },
    logLevel: 'silent',
  });
  const declarations = ['-p', join(root, 'tools/docs/tsconfig.declarations.json')];
  await run(tsc, [...declarations, '--outDir', join(installed, 'types')]);
  const types = join(installed, 'types/service/operations.d.ts');
  await run(process.execPath, [join(root, 'tools/docs/document-types.ts'), types]);
  writtenOut = readFileSync(types, 'utf8');
  writtenOut = writtenOut
    .slice(writtenOut.indexOf('interface Requests'))
    .replaceAll(/^interface/gm, 'export interface');
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(manifest.dependencies)) {
    await symlink(join(root, 'node_modules', name), join(consumer, 'node_modules', name));
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(consumer, name), text);
  const checked = Object.keys(files).filter((name) => /\.c?ts$/.test(name));
  const result = run(tsc, [...strict, ...ambient, '--module', 'nodenext', ...checked], {
    cwd: consumer,
  });
  // It ends with an error, because one of the files is wrong.
  compiled = await result.then(
    () => '',
    ({ stdout }) => String(stdout),
  );
});

afterAll(() => rm(consumer, { recursive: true, force: true }));

test('the example of the guide compiles and does what the guide says', async () => {
  expect(findWrongLines('example.ts')).toEqual([]);
  const service = await start();
  const printed = await runFile('example.ts', {
    BASE_URL: service.baseUrl,
    AUTH_CODE: service.authCode,
  });
  expect(printed).toBe(findBlock('text'));
});

test('a wrong name, request or answer does not compile', () => {
  expect(findWrongLines('wrong.ts')).toEqual([4, 5, 6, 7, 9]);
});

test('CommonJS has it too', async () => {
  expect(findWrongLines('typed.cts')).toEqual([]);
  expect(await runFile('old.cjs')).toBe('[secret] /network/clients\n');
});

test('its declarations compile on their own', () => {
  expect(
    compiled.split('\n').filter((line) => /error/.test(line) && !line.startsWith('wrong.ts')),
  ).toEqual([]);
});

test('it says of itself what its source says, and needs undici and zod alone', () => {
  const source = JSON.parse(readFileSync(join(root, 'src/service/package.json'), 'utf8'));
  const { name, version, description, license, engines, dependencies } = source;
  expect(manifest).toMatchObject({
    name,
    version,
    description,
    license,
    engines,
    dependencies,
  });
  expect(Object.keys(manifest.dependencies).sort()).toEqual(['undici', 'zod']);
});

test('its declarations hold the product and neutral ground, and no code of the agent', () => {
  const types = join(consumer, 'node_modules/tributary-service/types');
  const declared = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  );
  expect(declared).toContain('service/entry.d.ts');
  expect(declared.filter((name) => !/^(service|lib)\//.test(name))).toEqual([]);
  const text = declared.map((name) => readFileSync(join(types, name), 'utf8')).join('\n');
  expect(text).toContain("'auth-code-refused'");
  const foreign = Object.keys(errorKinds).filter(
    (code) => !(serviceErrorCodes as readonly string[]).includes(code),
  );
  expect(foreign).toContain('no-ipv6');
  expect(foreign.filter((code) => text.includes(`'${code}'`))).toEqual([]);
});

test('editors show what each field means', () => {
  expect(writtenOut).toContain('/** Which proxy is wanted. */\nreadonly proxyConfig?: {');
  const lines = writtenOut.split('\n');
  const isField = (line: string) => /^readonly \w+\??: /.test(line);
  expect(
    lines.filter(
      (line, index) => isField(line) && !/^\/\*\* .{3,} \*\/$/.test(lines[index - 1] ?? ''),
    ),
  ).toEqual([]);
});

test('the types that say so are those of the schemas', async () => {
  const program = `import type { OperationName, OperationRequest, OperationResponse } from '${root}/src/service/operations.ts';
import type { Requests, Responses } from './written-out.ts';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type All<T extends Record<keyof T, true>> = T;
export type Asked = All<{ [Name in OperationName]: Same<Requests[Name], OperationRequest<Name>> }>;
export type Answered = All<{ [Name in OperationName]: Same<Responses[Name], OperationResponse<Name>> }>;
`;
  const secret = `import type { Secret } from '${root}/src/lib/secret.ts';\n`;
  const flags = [
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
  ];
  const listProblems = async (text: string) => {
    await writeFile(join(consumer, 'written-out.ts'), `${secret}${text}`);
    await writeFile(join(consumer, 'same.ts'), program);
    const checked = run(tsc, [...strict, ...ambient, ...flags, 'same.ts'], { cwd: consumer });
    const { stdout } = await checked.catch((error) => error);
    return [...String(stdout).matchAll(/error TS\d+/g)].length;
  };
  expect(await listProblems(writtenOut)).toBe(0);
  expect(
    await listProblems(writtenOut.replace('readonly clientId?: ', 'readonly clientId: ')),
  ).toBe(1);
});

test('nothing else of the package is to be had', async () => {
  await expect(runFile('deep.mjs')).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
});
