import { findLoaded } from './loaded.ts';
import type { Module } from './module-graph.ts';
import type { Rule } from './rule.ts';

const daemon = 'src/agent/run-agent.ts';

/** What the agent comes to load, also late, while it runs. */
function findAllLoaded(modules: readonly Module[]): readonly Module[] {
  const found = new Set([daemon]);
  for (const path of found) {
    for (const file of findLoaded(modules, path).files) {
      found.add(file);
      const imports = modules.find((module) => module.path === file)?.imports ?? [];
      for (const { to, kind } of imports) if (kind === 'late') found.add(to);
    }
  }
  return modules.filter(({ path }) => found.has(path));
}

/** A promise of a late part that is kept whatever becomes of it. */
const kept = /(\?\?=|[^=!<>]=)\s*import\(/;

export const lateRules: readonly Rule[] = [
  {
    name: 'the agent looks again for what it did not find',
    reason:
      'a full descriptor table or an upgrade in place fails an import() or a look at the system once; `untilFound` of src/lib/once.ts asks again, a kept failure would last for years',
    find: (modules) =>
      findAllLoaded(modules)
        .filter(({ path }) => path !== 'src/lib/once.ts')
        .flatMap(({ path, code }) => [
          ...(/\bonce\b[^}]*} from '[^']*\/lib\/once\.ts'/.test(code)
            ? [`${path} keeps a failure by once`]
            : []),
          ...(kept.test(code) ? [`${path} keeps the promise of an import()`] : []),
        ]),
    broken: [
      {
        [daemon]: "import { deep } from './pass/deep.ts';",
        'src/agent/pass/deep.ts':
          "import { once } from '../../lib/once.ts'; export const deep = () => once(look);",
      },
      {
        [daemon]: "export const open = async () => (await import('./late.ts')).late;",
        'src/agent/late.ts':
          "let part; export const late = () => { part ??= import('./part.ts'); return part; };",
      },
      { [daemon]: "export const run = () => { const part = import('./part.ts'); return part; };" },
    ],
  },
];
