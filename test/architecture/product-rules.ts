import packageJson from '../../package.json' with { type: 'json' };
import type { Rule } from './rule.ts';

/** Belongs to no product: pure functions, and the door to the machine. */
const neutralGround = ['src/lib/', 'src/system/'];

/** The folders of the workspaces: each is a product of its own beside the agent. */
const products = packageJson.workspaces.map((folder) => `${folder}/`);

/** Between the products of this project, and between its tools and its tests. */
export const productRules: readonly Rule[] = [
  {
    name: 'a product beside the agent, and its tests, import nothing of the agent',
    reason:
      'it is built, read and used without the agent: it uses src/lib and src/system, which belong to no product, and other such products',
    find: (modules) =>
      modules
        .filter(({ path }) => products.some((product) => isPartOf(path, product)))
        .flatMap(({ path, imports }) =>
          imports
            .filter(({ to }) => /^(src|tools)\//.test(to))
            .filter(({ to }) => ![...neutralGround, ...products].some((own) => to.startsWith(own)))
            .map(({ to }) => `${path} imports ${to}`),
        ),
    broken: [
      { 'src/service/client.ts': "import { TributaryError } from '../errors/codes.ts';" },
      { 'src/service/client.ts': "import type { ErrorCode } from '../errors/codes.ts';" },
      { 'src/reference-service/http.ts': "import { version } from '../version.ts';" },
      { 'src/reference-service/http.ts': "const late = () => import('../cli/frame/command.ts');" },
      { 'test/service/guide.test.ts': "import { hasCode } from '../../src/errors/codes.ts';" },
    ],
  },
  {
    name: 'neutral ground imports nothing of any product',
    reason: 'otherwise every product would need the one that the ground knows',
    find: (modules) =>
      modules
        .filter(({ path }) => neutralGround.some((folder) => path.startsWith(folder)))
        .flatMap(({ path, imports }) =>
          imports
            .filter(({ to }) => to.startsWith('src/'))
            .filter(({ to }) => !neutralGround.some((folder) => to.startsWith(folder)))
            .map(({ to }) => `${path} imports ${to}`),
        ),
    broken: [
      { 'src/system/exec.ts': "import { TributaryError } from '../errors/codes.ts';" },
      { 'src/lib/secret.ts': "import type { ServiceError } from '../service/errors.ts';" },
    ],
  },
  {
    name: 'tools need nothing of test',
    reason:
      'a distribution without test/ builds, packages, demonstrates, benchmarks and documents the program',
    find: (modules) =>
      modules
        .filter(({ path }) => path.startsWith('tools/'))
        .flatMap(({ path, imports, code }) => [
          ...imports
            .filter(({ to }) => to.startsWith('test/'))
            .map(({ to }) => `${path} imports ${to}`),
          ...(code.match(/['"`/]test\/[^'"`]*/g) ?? []).map((text) => `${path} names ${text}`),
        ]),
    broken: [
      { 'tools/docs/write.ts': "import { facts } from '../../test/unit/facts.ts';" },
      { 'tools/bench/figures.ts': "import type { Script } from '../../test/net/script.ts';" },
      { 'tools/docs/write.ts': "const golden = join(import.meta.dirname, '../../test/golden');" },
    ],
  },
];

/** A file of the product, or of its tests: `test/service/` for `src/service/`. */
function isPartOf(path: string, product: string): boolean {
  return path.startsWith(product) || path.startsWith(product.replace(/^src\//, 'test/'));
}
