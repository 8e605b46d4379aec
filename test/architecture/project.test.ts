import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { program, serviceClient } from '../../rolldown.config.ts';
import { handlers } from '../../src/reference-service/http.ts';
import { operations } from '../../src/service/operations.ts';
import {
  findForeignPackages,
  findOutsideNames,
  findPutOff,
  readIgnored,
  readProject,
  topLevel,
} from './project-text.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const lock = JSON.parse(read('package-lock.json'));
const manifest: Readonly<Record<string, unknown>> = packageJson;

describe('package.json', () => {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
  const products = packageJson.workspaces.map((folder) => ({
    folder,
    product: JSON.parse(read(`${folder}/package.json`)) as typeof packageJson,
  }));

  test.each(kinds)('every version in %s is exact', (kind) => {
    const loose = Object.entries(packageJson[kind]).filter(
      ([, version]) => !/^(npm:typescript@)?\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  test('the lock file is of the same packages', () => {
    const { dependencies, devDependencies, optionalDependencies } = lock.packages[''];
    expect({ dependencies, devDependencies, optionalDependencies }).toEqual(
      Object.fromEntries(kinds.map((kind) => [kind, packageJson[kind]])),
    );
  });

  test.each(products)(
    '$folder is a product of the same version, licence and Node',
    ({ folder, product }) => {
      const { version, license, engines, type } = packageJson;
      expect(product).toMatchObject({ version, license, engines, type });
      expect(lock.packages[folder].dependencies).toEqual(product.dependencies);
    },
  );

  test('a package that several products use has one version', () => {
    const needed = [packageJson, ...products.map(({ product }) => product)].flatMap((one) =>
      [one.dependencies, one.devDependencies ?? {}].flatMap((group) => Object.entries(group)),
    );
    const versions = Map.groupBy(needed, ([name]) => name);
    expect(
      [...versions.values()].filter((rows) => new Set(rows.map(([, version]) => version)).size > 1),
    ).toEqual([]);
    expect(versions.get('zod')).toHaveLength(4);
  });

  test('it says which Node it needs, as the first file says it', () => {
    const least = /^>=(\d+)\.(\d+)$/.exec(packageJson.engines.node);
    expect(least).not.toBeNull();
    expect(read('src/tributary.ts')).toContain(
      `major < ${least?.[1]} || (major === ${least?.[1]} && minor < ${least?.[2]})`,
    );
    expect(program).toMatchObject({ transform: { target: `node${least?.[1]}.${least?.[2]}` } });
  });

  test('the command is a file that the build makes', () => {
    const { input, output } = program as {
      input: Record<string, string>;
      output: { dir: string; entryFileNames: string };
    };
    const made = Object.keys(input).map(
      (name) => `${output.dir}/${output.entryFileNames.replace('[name]', name)}`,
    );
    expect(made).toContain(packageJson.bin.tributary);
    expect(input.tributary).toBe('src/tributary.ts');
    expect(packageJson.files).toContain(output.dir);
  });

  test("the library's types are made by the build, too, beside its code", () => {
    const declarations = 'tools/docs/tsconfig.declarations.json';
    expect(packageJson.scripts.build).toContain(`tsc -p ${declarations}`);
    const { outDir } = JSON.parse(read(declarations)).compilerOptions;
    const { dir } = serviceClient.output as { dir: string };
    expect(join('tools/docs', outDir)).toBe(`${dir}/types`);
  });

  test('installing it runs nothing', () => {
    expect(
      Object.keys(packageJson.scripts).filter((name) =>
        /^(pre|post)?install$|^prepare$/.test(name),
      ),
    ).toEqual([]);
    expect(manifest.private).toBe(true);
  });
});

describe('the top level', () => {
  test('holds what belongs there', () => {
    const allowed = new Set([...topLevel, ...readIgnored(root)]);
    expect(readdirSync(root).filter((name) => !name.startsWith('.') && !allowed.has(name))).toEqual(
      [],
    );
  });

  test('what is installed and what is built is left out of git', () => {
    expect(readIgnored(root)).toEqual(expect.arrayContaining(['node_modules', 'dist']));
  });
});

describe('the text', () => {
  const files = readProject(root);

  test('names nothing outside of the project', () => {
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['package.json', 'src/agent/run-agent.ts', '.ci/run']),
    );
    expect(files.flatMap(findOutsideNames)).toEqual([]);
  });

  test.each(
    ['cd /%/main', 'see ../%/notes.md', '"/%/someone/project"'].map((text, index) => [text, index]),
  )('a place outside is seen (%s)', (text, index) => {
    const name = ['work', 'shared', 'home'][index as number] ?? '';
    expect(
      findOutsideNames({ path: 'README.md', text: String(text).replace('%', name) }),
    ).toHaveLength(1);
  });

  test.each([
    `import { a } from '${['..', 'work', 'plan.ts'].join('/')}';`,
    '/etc/tributary/tributary.yaml',
    '$HOME/home/x',
    '/var/lib/tributary',
  ])('an ordinary path is left in peace (%s)', (text) => {
    expect(findOutsideNames({ path: 'README.md', text })).toEqual([]);
  });

  test('nothing was put off', () => {
    const written = files.filter(({ path }) =>
      /^(src|test|systemd|config)\/.*(?<!\.png)$/.test(path),
    );
    expect(written.flatMap(findPutOff)).toEqual([]);
  });

  test.each(['// TO%DO: later', 'test%.skip(', 'describe%.only(', "vi%.mock('./exec.ts')"])(
    '%s is seen',
    (text) => {
      expect(findPutOff({ path: 'src/a.ts', text: text.replace('%', '') })).toHaveLength(1);
    },
  );

  test('the lock file names no other registry', () => {
    expect(findForeignPackages(read('package-lock.json'))).toEqual([]);
    const foreign = {
      packages: {
        'node_modules/a': { resolved: 'https://npm.example/a.tgz' },
        'node_modules/b': { resolved: '../elsewhere/b', link: true },
      },
    };
    expect(findForeignPackages(JSON.stringify(foreign))).toHaveLength(2);
  });
});

describe('the operations', () => {
  test('each is served', () => {
    expect(Object.keys(handlers).sort()).toEqual(Object.keys(operations).sort());
  });

  test('each has a method and path of its own', () => {
    const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });
});
