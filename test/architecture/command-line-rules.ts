import { findLoaded } from './loaded.ts';
import type { Module } from './module-graph.ts';
import type { Rule } from './rule.ts';

const program = 'src/cli/program.ts';
/** What runs for years, or is asked every minute. */
export const quickFiles = [
  'src/main.ts',
  'src/cli/frame/command.ts',
  'src/cli/commands/advanced/run.ts',
  'src/cli/commands/everyday/status.ts',
  'src/cli/commands/advanced/health.ts',
  'src/status/socket-client.ts',
] as const;
const heavy = /^(zod|yaml|undici|string-width|uqr|execa|pino|@clack\/prompts)(\/|$)/;

/**
 * What the command line loads before a command runs: at each Tab, for help and for typing errors.
 */
export const commandLineRules: readonly Rule[] = [
  {
    name: 'the command line is known without what its commands need',
    reason:
      'a shell asks for it at each Tab, also on a small board: what takes long to load waits for the action',
    find: (modules) =>
      ['src/main.ts', program, ...listGroups(modules)].flatMap((path) =>
        [...findLoaded(modules, path).outside]
          .filter((name) => heavy.test(name))
          .map((name) => `${path} comes to load ${name}`),
      ),
    broken: [
      { [program]: "import * as z from 'zod';" },
      {
        [program]: "export const load = () => import('./commands/everyday/status.ts');",
        'src/cli/commands/everyday/status.ts':
          "import { statusDocument } from '../../../status/document.ts';",
        'src/status/document.ts': "import * as z from 'zod';",
      },
    ],
  },
  {
    name: 'what asks a running agent loads no package',
    reason:
      'status and health are asked every minute: reading the command line and checking the answer take longer than asking',
    find: (modules) =>
      quickFiles.flatMap((path) =>
        [...findLoaded(modules, path).outside]
          .filter((name) => !/^(node:(?!crypto)|package\.json$)/.test(name))
          .map((name) => `${path} comes to load ${name}`),
      ),
    broken: [
      { 'src/main.ts': "import { Command } from 'commander';" },
      {
        'src/status/socket-client.ts': "import { text } from './text.ts';",
        'src/status/text.ts': "import * as z from 'zod';",
      },
      { 'src/cli/commands/everyday/status.ts': "import { randomUUID } from 'node:crypto';" },
    ],
  },
  {
    name: 'the frame of the command line and what presents its results know no command',
    reason:
      'what a command is can be learnt without any of them; `cli/program.ts` is the one list of them',
    find: (modules) =>
      modules
        .filter(({ path }) => /^src\/cli\/(frame|present)\//.test(path))
        .flatMap(({ path, imports }) =>
          imports
            .filter(({ to }) => /^src\/cli\/(?!(frame|present)\/)/.test(to))
            .map(({ to }) => `${path} imports ${to}`),
        ),
    broken: [
      { 'src/cli/frame/advice.ts': "import { status } from '../commands/everyday/status.ts';" },
      { 'src/cli/frame/completer.ts': "const late = () => import('../program.ts');" },
      { 'src/cli/present/text.ts': "import type { Shell } from '../commands/set-up/login.ts';" },
    ],
  },
];

/** The files that the program loads for the commands that were typed, or for all of them. */
function listGroups(modules: readonly Module[]): readonly string[] {
  const imports = modules.find(({ path }) => path === program)?.imports ?? [];
  return imports.flatMap(({ to, kind }) => (kind === 'late' ? [to] : []));
}
