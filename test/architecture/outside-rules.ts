import type { Module } from './module-graph.ts';
import { isOurs, type Rule, toFolder } from './rule.ts';

/**
 * Where each package is used, by folder of src or by file. A package that is not named here is an
 * error.
 */
const packagePlaces: readonly {
  readonly name: RegExp;
  readonly places: readonly string[];
  readonly why: string;
}[] = [
  {
    name: /^commander$/,
    places: ['cli', 'src/reference-service/commands/program.ts'],
    why: 'only commands have a command line',
  },
  {
    name: /^@clack\/prompts$/,
    places: ['src/cli/frame/prompt.ts'],
    why: 'questions at a terminal are asked in one way',
  },
  {
    name: /^string-width$/,
    places: ['src/cli/present/table-printer.ts'],
    why: 'columns are counted in one place',
  },
  {
    name: /^uqr$/,
    places: ['src/cli/present/qr-code.ts'],
    why: 'codes are shown to cameras in one way',
  },
  {
    name: /^execa$/,
    // talking-exec.ts: those that are kept running and told in lines what exec.ts would start them
    // for.
    places: ['src/system/exec.ts', 'src/system/talking-exec.ts'],
    why: 'programs are run in one place',
  },
  {
    name: /^ws$/,
    places: ['src/connect/socket/web-socket.ts', 'src/reference-service/platform/socket-server.ts'],
    why: 'one file speaks to the platform, and one is the platform',
  },
  { name: /^pino$/, places: ['src/report/logger.ts'], why: 'everybody else is handed a Logger' },
  { name: /^nanotar$/, places: ['src/doctor/bundle.ts'], why: 'one file makes an archive' },
  { name: /^yaml$/, places: ['src/config/yaml-text.ts'], why: 'the configuration alone is YAML' },
  {
    name: /^node-cron$/,
    places: ['config', 'provide'],
    why: 'schedules are read and kept in these places',
  },
  {
    name: /^undici\/lib\//,
    places: ['src/service/transport.ts'],
    why: 'the service is spoken to in one place',
  },
  {
    name: /^(hono(\/.*)?|@hono\/node-server)$/,
    places: ['reference-service'],
    why: 'the agent serves plain node:http',
  },
  {
    name: /^jose$/,
    places: ['reference-service'],
    why: 'the agent holds no key to sign or to check a token with',
  },
  {
    name: /^rolldown(\.config\.ts)?$/,
    places: ['tools/packaging/bundle.ts'],
    why: 'the program builds nothing',
  },
  { name: /^package\.json$/, places: ['src/version.ts'], why: 'the version is said in one place' },
  {
    name: /^zod$/,
    places: [
      'service',
      'config',
      'system',
      'status',
      'identity',
      'source',
      'data-path',
      'cli',
      'lab',
      'packaging',
      'agent',
      // Requests of the interface are checked by the schemas in service; the administrator's
      // commands come in by another door.
      'src/reference-service/admin-commands.ts',
    ],
    why: 'values are checked where they come in, never in lib',
  },
  {
    name: /^zod\/mini$/,
    places: ['src/connect/engine/read-messages.ts'],
    why: 'the engine is to be small, so it takes the part of zod that leaves out what it does not use',
  },
];

/** Built-ins of Node that are kept to a few files, or out. */
const builtInPlaces: readonly {
  readonly name: RegExp;
  readonly places: readonly string[];
  readonly why: string;
}[] = [
  {
    name: /^node:child_process$/,
    places: [
      // The lock is taken on an open descriptor of ours, which execa does not hand over.
      'src/system/lock.ts',
      // What runs as long as the agent does, and is heard line by line.
      'src/system/kept-program.ts',
      // What is told things as long as it runs, which execa has no advantage for, and heard.
      'src/system/spoken-program.ts',
      // perl makes a call of the kernel on a descriptor of ours, which execa does not hand over.
      'src/connect/tun/open-tun.ts',
      // The agent itself, in its namespace, on our own standard streams until it ends.
      'src/namespace/run-inside.ts',
      // Processes that live as long as the lab, are measured, and are killed on purpose.
      'lab',
    ],
    why: 'programs are run by system/exec.ts, where arguments are never a shell line',
  },
  {
    name: /^node:sqlite$/,
    places: ['reference-service'],
    why: 'the agent keeps small files that can be read and mended',
  },
  {
    name: /^node:vm$/,
    places: ['src/system/give-back-memory.ts', 'src/compiled-code.ts'],
    why: 'a context of its own is the one way to the garbage collector, and nothing else runs in one; compiled code is run by its Script',
  },
  {
    name: /^node:module$/,
    places: ['src/compiled-code.ts'],
    why: 'the one way to run files from compiled code',
  },
  {
    name: /^node:(http2|cluster|worker_threads)$/,
    places: [],
    why: 'memory and ways around that the agent does without',
  },
  {
    name: /^node:process$/,
    places: [],
    why: 'process is global; an import of it would hide what reads the environment',
  },
];

const inlinePlaces: readonly {
  readonly what: string;
  readonly pattern: RegExp;
  readonly places: readonly string[];
  readonly why: string;
  readonly sample: string;
}[] = [
  {
    what: 'reads the environment',
    pattern: /\bprocess\s*(\?\.|\.|\[\s*['"`])\s*env\b|\benv\b[^{}]*\}\s*=\s*process\b/,
    places: [
      'src/main.ts',
      'lab',
      // PATH alone: where the system looks for a program.
      'src/system/missing-program.ts',
      // TZ alone, by which Node is told to look for the zone again.
      'src/agent/system-zone.ts',
    ],
    why: 'main.ts hands the environment on, and src/config alone knows what its variables mean',
    sample: "export const path = () => process['env'].PATH;",
  },
  {
    what: 'reveals a secret',
    pattern: /\breveal\b/,
    places: [
      'src/lib/secret.ts',
      // A signature in a file is JSON that has to be read before it goes to the service.
      'src/cli/commands/account/upgrade.ts',
      // What goes to the service, and keeping its answers from giving a secret back.
      'src/service/wire-case.ts',
      'src/service/prepare.ts',
      'src/service/scrub.ts',
      'src/service/jwt.ts',
      // The page's token is held against what was typed.
      'src/status/page/gate.ts',
      // State files, 0600.
      'src/identity/sign-in.ts',
      'src/system/state-file.ts',
      // An auth code is made to be shown. The token of an upgraded guest may go to a file of mode
      // 0600.
      'src/cli/commands/set-up/auth.ts',
      'src/cli/commands/account/jwt-destination.ts',
      // The WireGuard text: read, and written to a file, 0600.
      'src/source/wireguard/parse.ts',
      'src/source/wireguard/render.ts',
      // The engine is told its secrets and the device's token by a pipe.
      'src/source/connect/engine-order.ts',
      'src/system/wireguard-keys.ts',
      // A key that is handed in like a secret, so that it is checked like any other.
      'src/config/load.ts',
      // Where a webhook goes, what it is signed with, and what the broker is told by.
      'src/report/webhook-notifier.ts',
      'src/report/mqtt-session.ts',
      // It looks for secrets in what an owner sends to people who help, and takes them out.
      'src/doctor/redact.ts',
      // The reference service issues them.
      'reference-service',
    ],
    why: 'every place that a secret leaves by is known by name',
    sample: 'export const show = (token: { reveal(): string }) => token.reveal();',
  },
  {
    what: 'sets a broken state file aside',
    pattern: /\breadOrSetAside\b/,
    places: [
      'src/system/state-file.ts',
      'src/system/restore-file.ts',
      // What it had is learnt again with the next connections.
      'src/system/open-kept-names.ts',
      'identity',
      'agent',
      'data-path',
      'src/source/connect/engine-files.ts',
      'src/source/connect/kept-sums.ts',
      'src/source/connect/market-watch.ts',
      // It is about to write the document.
      'src/cli/commands/account/jwt-destination.ts',
    ],
    why: 'what only reads changes nothing on the disk: it peeks',
    sample: 'export const ask = (file: { readOrSetAside(): unknown }) => file.readOrSetAside();',
  },
  {
    what: 'becomes another user',
    pattern: /\bset(e?[ug]id|groups)\b/,
    places: [
      'src/system/folder.ts',
      // A program that is started, and ends as that user.
      'src/namespace/owner.ts',
    ],
    why: 'it lasts for one breath, in which nothing else runs, and is taken back',
    sample: 'export const drop = () => process.setuid?.(65534);',
  },
  {
    what: 'changes files by their names',
    pattern:
      /\b(writeFile|appendFile|rename|unlink|rm|rmdir|mkdir|mkdtemp|symlink|link|copyFile|cp|truncate|utimes|chmod|chown|lchown|createWriteStream)(Sync)?\b[^}]*\}\s*from\s*['"]node:fs/,
    places: [
      // A file of the kernel about this process itself.
      'src/tributary.ts',
      // Root's own, in the program's folder, when it is installed.
      'src/compiled-code.ts',

      // As the owner of the folder.
      'src/system/folder.ts',
      // In memory, by a new name that is gone at once.
      'src/system/memory-file.ts',
      // Below /proc/sys, and a file of the process's own in /proc.
      'src/system/sysctl.ts',
      'src/tributary.ts',
      // Of root's: /etc/netns, /run/tributary-netns, /run/tributary-userns, /run/wireguard.
      'src/namespace/up.ts',
      'src/namespace/owner.ts',
      'src/namespace/run-inside.ts',
      'src/source/wireguard/apply.ts',
      // What the caller named, and only where it was made by this command.
      'src/cli/commands/account/jwt-destination.ts',
      'lab',
      'packaging',
      'reference-service',
    ],
    why: "root's commands work in folders of the agent's user, who may swap a name for a link: system/folder.ts withstands that",
    sample:
      "import { chmod } from 'node:fs/promises';\nexport const open = (path: string) => chmod(path, 0o644);",
  },
  {
    what: 'joins signals',
    pattern: /AbortSignal\s*\.\s*any\b/,
    places: [],
    why: 'each call keeps some memory for as long as the long-lived signal lives',
    sample:
      'export const both = (one: AbortSignal, two: AbortSignal) => AbortSignal.any([one, two]);',
  },
  {
    what: 'loads code by another way than import',
    pattern: /\b(createRequire|require|eval)\s*\(|\bnew Function\b/,
    places: [],
    why: 'the rules, the bundler and the reader see imports only',
    sample: "export const load = (require: (name: string) => unknown) => require('hono');",
  },
];

/** What comes from outside of the project, and where. */
export const outsideRules: readonly Rule[] = [
  {
    name: 'each package has its place',
    reason:
      'a package in one place can be replaced, kept out of the daemon, and is looked for in one place',
    find: (modules) => findOutside(modules, packagePlaces, (to) => !to.startsWith('node:')),
    broken: [
      { 'src/lib/units.ts': "import * as z from 'zod';" },
      { 'src/status/server.ts': "import { Hono } from 'hono';" },
      { 'src/agent/run-agent.ts': "import { pino } from 'pino';" },
      { 'src/service/client.ts': "import { request } from 'undici';" },
      { 'src/lib/units.ts': "import leftPad from 'left-pad';" },
      { 'src/config/load.ts': "const yaml = () => import('yaml');" },
      { 'src/config/load.ts': 'const load = (name: string) => import(name);' },
    ],
  },
  {
    name: 'some built-ins of Node are kept to a few files',
    reason: 'programs are started, and databases opened, in known places',
    find: (modules) =>
      findOutside(modules, builtInPlaces, (to) => builtInPlaces.some(({ name }) => name.test(to))),
    broken: [
      { 'src/source/wireguard/apply.ts': "import { spawn } from 'node:child_process';" },
      { 'src/report/ledger.ts': "import { DatabaseSync } from 'node:sqlite';" },
      { 'src/service/transport.ts': "import { connect } from 'node:http2';" },
      { 'src/status/page.ts': "import { runInNewContext } from 'node:vm';" },
      { 'src/service/transport.ts': "import { env } from 'node:process';" },
    ],
  },
  {
    name: 'built-ins of Node are written with node:',
    reason: 'so that no package can take their place',
    find: (modules) =>
      modules.flatMap((module) =>
        module.imports
          .filter(({ to }) =>
            /^(fs|path|os|net|http|https|http2|child_process|util|crypto|events|stream|url)(\/|$)/.test(
              to,
            ),
          )
          .map(({ to }) => `${module.path} imports ${to}`),
      ),
    broken: [{ 'src/lib/units.ts': "import { readFile } from 'fs/promises';" }],
  },
  ...inlinePlaces.map(({ what, pattern, places, why, sample }) => ({
    name: `only a few files: ${what}`,
    reason: why,
    find: (modules: readonly Module[]) =>
      modules
        .filter((module) => pattern.test(module.code) && !isAt(module.path, places))
        .map((module) => `${module.path} ${what}`),
    broken: [{ 'src/report/metrics.ts': sample }],
  })),
  {
    name: 'every named place is in use',
    reason: 'a file that is named here for nothing is a hole',
    find: findUnusedPlaces,
    broken: [{ 'src/source/wireguard/render.ts': 'export const nothing = 1;' }],
  },
];

function findOutside(
  modules: readonly Module[],
  rows: readonly {
    readonly name: RegExp;
    readonly places: readonly string[];
    readonly why: string;
  }[],
  isHeld: (to: string) => boolean,
): readonly string[] {
  return modules.flatMap((module) =>
    module.imports
      .filter(({ to, kind }) => kind !== 'type' && !isOurs(to) && isHeld(to))
      .flatMap(({ to }) => {
        const row = rows.find(({ name }) => name.test(to));
        if (row !== undefined && isAt(module.path, row.places)) return [];
        return [
          `${module.path} imports ${to}: ${row?.why ?? 'it is not among the packages that have a place'}`,
        ];
      }),
  );
}

function isAt(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || toFolder(path) === place);
}

function findUnusedPlaces(modules: readonly Module[]): readonly string[] {
  const byImport = [...packagePlaces, ...builtInPlaces].flatMap(({ name, places }) =>
    places
      .filter(
        (place) =>
          !modules.some(
            (own) => isAt(own.path, [place]) && own.imports.some(({ to }) => name.test(to)),
          ),
      )
      .map((place) => `${place || 'the root of src'} does not import ${name.source}`),
  );
  const byText = inlinePlaces.flatMap(({ what, pattern, places }) =>
    places
      .filter((place) => !modules.some((own) => isAt(own.path, [place]) && pattern.test(own.code)))
      .map((place) => `none of ${place} ${what}`),
  );
  return [...byImport, ...byText];
}
