import { posix } from 'node:path';
import type { Rule } from './rule.ts';

/** What one folder promises to another. */
export const contractRules: readonly Rule[] = [
  {
    name: 'a type that another folder imports is written down',
    reason:
      'a newcomer learns what a thing is from its interface, not from the body that makes it; a promise that is inferred is also changed by accident',
    find: (modules) => {
      const inferred = new Set(
        modules.flatMap(({ path, inferredTypes }) =>
          inferredTypes.map((name) => `${name} of ${path}`),
        ),
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
    },
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
];
