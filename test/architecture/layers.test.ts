import { expect, test } from 'vitest';
import { commandLineRules, quickFiles } from './command-line-rules.ts';
import { contractRules } from './contract-rules.ts';
import { daemonRules } from './daemon-rules.ts';
import { deadlineRules } from './deadline-rules.ts';
import { describeRules } from './describe-rules.ts';
import { fileRules } from './file-rules.ts';
import { functionRules } from './function-rules.ts';
import { interfaceRules } from './interface-rules.ts';
import { lateRules } from './late-rules.ts';
import { layerRules } from './layer-rules.ts';
import { findLoaded } from './loaded.ts';
import { parseModule, readModules } from './module-graph.ts';
import { outsideRules } from './outside-rules.ts';
import { productRules } from './product-rules.ts';
import { reasonRules } from './reason-rules.ts';
import { testRules } from './test-rules.ts';

const root = new URL('../..', import.meta.url).pathname;
// The lab starts the program as its owner would, and keeps to the same rules.
const modules = [
  ...readModules(root, 'src'),
  ...readModules(root, 'tools/lab'),
  ...readModules(root, 'tools/packaging'),
];
const rules = [
  ...layerRules,
  ...outsideRules,
  ...deadlineRules,
  ...fileRules,
  ...daemonRules,
  ...lateRules,
  ...commandLineRules,
  ...functionRules,
  ...contractRules,
  ...interfaceRules,
  ...reasonRules,
];

describeRules(rules, { where: 'src and in the lab', modules });

const tests = readModules(root, 'test');
describeRules(testRules, { where: 'the tests', modules: tests });

const tools = readModules(root, 'tools');
const sources = modules.filter(({ path }) => path.startsWith('src/'));
// A lab's or a test world's type is a promise to other folders as well.
describeRules(contractRules.slice(0, 1), {
  where: 'tools and test too',
  modules: [...sources, ...tools, ...tests],
});
describeRules(productRules, {
  where: 'src, tools and test',
  modules: [...sources, ...tools, ...tests],
});

test('the rules look at the whole of src, at the lab and at the tests', () => {
  expect(tests.map((own) => own.path)).toContain('test/architecture/layers.test.ts');
  const paths = modules.map((module) => module.path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'src/agent/run-agent.ts',
      'src/lib/errors.ts',
      ...quickFiles,
      'src/service/fields.ts',
      'tools/lab/lab.ts',
    ]),
  );
  // The agent is composed of all of its domains: a graph that lost an edge would let the daemon's
  // rules pass unseen.
  const { files, outside } = findLoaded(modules, 'src/agent/run-agent.ts');
  expect([...files]).toEqual(
    expect.arrayContaining([
      'src/service/operations.ts',
      'src/gateway/ruleset.ts',
      'src/source/wireguard/apply.ts',
    ]),
  );
  expect([...outside]).toEqual(expect.arrayContaining(['pino', 'zod']));
  const undici = 'undici/lib/dispatcher/pool.js';
  expect([...findLoaded(modules, 'src/service/transport.ts').outside]).toContain(undici);
});

test.each<readonly [string, string, readonly unknown[]]>([
  ['a named import', "import { a } from './b.ts';", [{ to: 'src/x/b.ts', kind: 'value' }]],
  ['an import for its effect', "import './b.ts';", [{ to: 'src/x/b.ts', kind: 'value' }]],
  ['an import of types', "import type { A } from '../b.ts';", [{ to: 'src/b.ts', kind: 'type' }]],
  [
    'an import of nothing but types',
    "import { type A, type B } from './b.ts';",
    [{ to: 'src/x/b.ts', kind: 'type' }],
  ],
  [
    'a type among values',
    "import { type A, b } from './b.ts';",
    [{ to: 'src/x/b.ts', kind: 'value' }],
  ],
  ['a whole package', "import * as z from 'zod';", [{ to: 'zod', kind: 'value' }]],
  ['a re-export', "export { a } from './b.ts';", [{ to: 'src/x/b.ts', kind: 'value' }]],
  [
    'a re-export of types',
    "export type { A } from './b.ts';",
    [{ to: 'src/x/b.ts', kind: 'type' }],
  ],
  ['a re-export of everything', "export * from './b.ts';", [{ to: 'src/x/b.ts', kind: 'value' }]],
  [
    'a late import',
    "const f = async () => (await import('./b.ts')).a;",
    [{ to: 'src/x/b.ts', kind: 'late' }],
  ],
  ['a type taken in place', "type A = import('./b.ts').A;", [{ to: 'src/x/b.ts', kind: 'type' }]],
  [
    'a computed import',
    'const f = (name: string) => import(name);',
    [{ to: '(name)', kind: 'late' }],
  ],
  ['an import in a comment or a text', "// import './b.ts'\nconst a = \"import './b.ts'\";", []],
])('%s is read as what it is', (_, text, imports) => {
  expect(parseModule('src/x/a.ts', text).imports).toEqual(imports);
});
