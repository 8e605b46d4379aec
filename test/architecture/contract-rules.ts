import { posix } from 'node:path';
import type { Module } from './module-graph.ts';
import type { Rule } from './rule.ts';

/** What one folder promises to another. */
export const contractRules: readonly Rule[] = [
  {
    name: 'a type that another folder imports is written down',
    reason:
      'a newcomer learns what a thing is from its interface, not from the body that makes it; a promise that is inferred is also changed by accident',
    find: (modules) => findTaken(modules, ({ inferredTypes }) => inferredTypes),
    broken: [
      {
        'src/system/folder.ts': 'export type Folder = ReturnType<typeof createFolder>;',
        'src/report/ledger.ts': "import type { Folder } from '../system/folder.ts';",
      },
      {
        'src/system/folder.ts':
          'export type Folder =\n  Readonly<Awaited<ReturnType<typeof openFolder>>>;',
        'src/report/ledger.ts':
          "import { openFolder, type Folder as Own } from '../system/folder.ts';",
      },
      {
        'src/system/folder.ts':
          'export type Folder<T> = { readonly all: readonly ReturnType<typeof createFile<T>>[] };',
        'src/system/kernel/files.ts': "import type { Folder } from '../folder.ts';",
      },
      {
        'src/system/folder.ts':
          'export interface Folder { readonly file: ReturnType<typeof createFile>; }',
        'src/report/ledger.ts': "import type { Folder } from '../system/folder.ts';",
      },
    ],
  },
  {
    name: 'a function that another folder imports says what it returns',
    reason:
      'whoever calls it reads its signature, and should not have to read its body; a result that is inferred is also changed by accident',
    find: (modules) =>
      findTaken(modules, ({ path, inferredResults }) =>
        makesSchemas.includes(path) ? [] : inferredResults,
      ),
    broken: [
      {
        'src/system/folder.ts': 'export function readFolder(path: string) { return [path]; }',
        'src/report/ledger.ts': "import { readFolder } from '../system/folder.ts';",
      },
      {
        'src/system/folder.ts': 'export const readFolder = async (path: string) => [path];',
        'src/report/ledger.ts': "import { readFolder as read } from '../system/folder.ts';",
      },
    ],
  },
];

/** Of these files the results are schemas, and types are derived from them: inferred on purpose. */
const makesSchemas: readonly string[] = ['src/service/fields.ts'];

/** Each import from another folder of a name that its file is said to leave unwritten. */
function findTaken(
  modules: readonly Module[],
  listInferred: (module: Module) => readonly string[],
): readonly string[] {
  const inferred = new Set(
    modules.flatMap((module) => listInferred(module).map((name) => `${name} of ${module.path}`)),
  );
  return modules.flatMap(({ path, takenNames }) =>
    takenNames
      .map(({ name, specifier }) => ({
        name,
        from: posix.join(posix.dirname(path), specifier),
      }))
      .filter(({ from }) => posix.dirname(from) !== posix.dirname(path))
      .map(({ name, from }) => `${name} of ${from}`)
      .filter((taken) => inferred.has(taken))
      .map((taken) => `${path} imports ${taken}`),
  );
}
