import { posix } from 'node:path';
import builds from '../../rolldown.config.ts';
import type { Rule } from './rule.ts';

/** Programs: started, never imported for what they export. */
const entryPoints = [
  ...builds.flatMap(({ input }) => Object.values(input as Readonly<Record<string, string>>)),
  'src/reference-service/commands/tributary-sandbox.ts',
  'tools/packaging/build-image.ts',
  'tools/packaging/build-packages.ts',
  'tools/lab/nasty-service.ts',
];
const longest = 250;

/** What a file is like. */
export const fileRules: readonly Rule[] = [
  {
    name: `no file is longer than ${longest} lines`,
    reason: 'one file holds one idea; a longer one holds two',
    find: (modules) =>
      modules
        .filter((own) => own.lineCount > longest)
        .map((own) => `${own.path} has ${own.lineCount} lines`),
    broken: [{ 'src/lib/units.ts': '\n'.repeat(longest + 1) }],
  },
  {
    name: 'files have names of their own, in kebab-case',
    reason:
      'a folder is found by its name and a file by its idea; index, utils and types say neither',
    find: (modules) =>
      modules
        .map((own) => own.path)
        .filter((path) => !kebabCase.test(path) || drawer.test(posix.basename(path))),
    broken: [
      { 'src/lib/index.ts': '' },
      { 'src/source/wireguard/utils.ts': '' },
      { 'src/source/wireguard/types.ts': '' },
      { 'src/source/wireguard/wireGuard.ts': '' },
      { 'src/Tunnel/plan.ts': '' },
    ],
  },
  {
    name: 'nothing is exported by default',
    reason: 'a thing has one name everywhere, and searching for it finds every use',
    find: (modules) => modules.filter((own) => own.hasDefaultExport).map((own) => own.path),
    broken: [
      { 'src/lib/units.ts': 'export default function format() {}' },
      { 'src/lib/units.ts': 'const format = 1; export { format as default };' },
      { 'src/lib/units.ts': "export { format as default } from './format.ts';" },
    ],
  },
  {
    name: 'nothing happens at import',
    reason:
      'a module can be loaded by a test or a command that wants none of it; state belongs to who creates it',
    find: (modules) =>
      modules
        .filter((own) => !entryPoints.includes(own.path))
        .flatMap((own) => own.actsAtImport.map((what) => `${own.path}: ${what}`)),
    broken: [
      { 'src/lib/units.ts': 'let count = 0; export const next = () => (count += 1);' },
      { 'src/lib/units.ts': 'export let count = 0;' },
      { 'src/lib/units.ts': 'if (process.argv.length > 2) process.exitCode = 1;' },
      { 'src/lib/units.ts': "export const text = readFileSync('/etc/hostname', 'utf8');" },
      { 'src/lib/units.ts': "export const text = await readFile('/etc/hostname');" },
      { 'src/lib/units.ts': "const { text } = await import('./text.ts');" },
      { 'src/cli/run.ts': 'export const run = defineCommand({ usage: readUsage() });' },
      { 'src/lib/units.ts': 'export const signal = new AbortController().signal;' },
      { 'src/lib/units.ts': 'export const table = new Map([[startedAt(), 1]]);' },
    ],
  },
  {
    name: 'nobody imports a program',
    reason: 'it would run',
    find: (modules) =>
      modules.flatMap((own) =>
        own.imports
          .filter(({ to }) => entryPoints.includes(to))
          .map(({ to }) => `${own.path} imports ${to}`),
      ),
    broken: [{ 'tools/lab/lab.ts': "import './worker.ts';" }],
  },
];

const kebabCase = /^(src|test|tools)\/([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/;
const drawer = /^(index|utils?|types|helpers?|common|misc)\.ts$/;
