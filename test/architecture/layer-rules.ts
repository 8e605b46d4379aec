import { crossings, layers } from './layers.ts';
import type { Module, ModuleImport } from './module-graph.ts';
import { isOurs, type Rule, toFolder } from './rule.ts';

const stateFile = 'src/agent/state.ts';
const mostPlaces = 25;

/** Who may import whom. */
export const layerRules: readonly Rule[] = [
  {
    name: 'every folder of src has its layer',
    reason: 'a folder outside of the layers would be held by no rule',
    find: (modules) =>
      modules.filter((module) => layerOf(module) === undefined).map((module) => module.path),
    broken: [{ 'src/helpers/text.ts': '' }],
  },
  {
    name: 'a layer imports what is below it',
    reason:
      'see the reason of each layer in layers.ts; move what is shared down, or compose it in src/agent',
    find: (modules) =>
      modules.flatMap((module) =>
        module.imports
          .filter(
            (own) =>
              isOurs(own.to) && !mayImport(module, own) && crossingOf(module, own) === undefined,
          )
          .map(
            (own) => `${module.path} imports ${own.to} (${own.kind}): ${layerOf(module)?.reason}`,
          ),
      ),
    broken: [
      { 'src/lib/units.ts': "import { exec } from '../system/exec.ts';" },
      { 'src/lib/units.ts': "import type { Exec } from '../system/exec.ts';" },
      { 'src/system/ip.ts': "export { profiles } from '../service/profiles.ts';" },
      { 'src/service/client.ts': "export * from '../system/exec.ts';" },
      { 'src/source/wireguard/apply.ts': "import { tableName } from '../../gateway/policy.ts';" },
      { 'src/source/wireguard/apply.ts': "const late = () => import('../../gateway/policy.ts');" },
      {
        'src/source/wireguard/apply.ts':
          "import { type A, tableName } from '../../gateway/policy.ts';",
      },
      { 'src/status/page.ts': "import type { Board } from '../agent/state.ts';" },
      { 'src/namespace/up.ts': "import { toRuleset } from '../gateway/ruleset.ts';" },
      { 'src/agent/tell/notifiers.ts': "import { exitCodes } from '../../cli/exit-code.ts';" },
      { 'src/agent/run-agent.ts': "import { exitCodes } from '../cli/exit-code.ts';" },
      { 'src/agent/run-agent.ts': "let lab: import('../../tools/lab/lab.ts').Lab;" },
      { 'src/reference-service/http.ts': "import { toFacts } from '../agent/state.ts';" },
      {
        'src/reference-service/http.ts':
          "import type { Registration } from '../identity/registration-files.ts';",
      },
      { 'src/cli/status.ts': "import { createLab } from '../../tools/lab/lab.ts';" },
      {
        'src/cli/status.ts':
          "import { startReferenceService } from '../reference-service/server.ts';",
      },
      { 'tools/lab/lab.ts': "import { runAgent } from '../../src/agent/run-agent.ts';" },
    ],
  },
  {
    name: 'what is lent across layers is pure',
    reason:
      'a constant or a function of its arguments can be shared; what acts is composed in src/agent',
    find: (modules) =>
      modules
        .filter(({ path }) => isLent(path))
        .flatMap((module) =>
          module.imports
            .filter(
              (own) => own.kind !== 'type' && !own.to.startsWith('src/lib/') && !isLent(own.to),
            )
            .map((own) => `${module.path} imports ${own.to}`),
        ),
    broken: [
      { 'src/gateway/policy.ts': "import { exec } from '../system/exec.ts';" },
      { 'src/gateway/uplink.ts': "import { readFile } from 'node:fs/promises';" },
    ],
  },
  {
    name: 'every exception is in use',
    reason: 'an exception that nobody needs any more is a hole',
    find: (modules) =>
      crossings
        .filter(
          (crossing) =>
            !modules.some(
              (module) =>
                module.path === crossing.from &&
                module.imports.some(
                  (own) => own.to.startsWith(crossing.to) && !mayImport(module, own),
                ),
            ),
        )
        .map(({ from, to }) => `${from} no longer imports ${to}`),
    broken: [{ 'src/namespace/up.ts': '' }],
  },
  {
    name: `src has at most ${mostPlaces} places`,
    reason: 'a house with few rooms is learnt in an hour',
    find: (modules) => {
      const places = new Set(modules.map(({ path }) => toPlace(path)));
      return places.size > mostPlaces ? [`${places.size} places: ${[...places].join(', ')}`] : [];
    },
    broken: [makeHouse(mostPlaces + 1)],
  },
  {
    name: 'what a source wants is asked for its kind by a switch that knows all of them',
    reason:
      'a comparison with one kind takes a new one for the rest, and a pass then removes its device',
    find: (modules) =>
      modules
        .filter(({ path }) => /^src\/(source|data-path|agent)\//.test(path))
        .flatMap(({ path, code }) =>
          [...code.matchAll(/\b(?:wish|wanted|desired|fitting|possible)\.kind\s*[!=]==.*/g)].map(
            ([line]) => `${path}: ${line}`,
          ),
        ),
    broken: [
      {
        'src/data-path/compose.ts':
          "const isThere = (wish: SourceWish) => wish.kind !== 'absent' && true;",
      },
      { 'src/source/wireguard/plan.ts': "if (desired.kind === 'present') make();" },
    ],
  },
  {
    name: 'no imports in a circle between folders',
    reason: 'two rooms that need each other are one',
    find: (modules) => findCircles(toFolderGraph(modules)),
    broken: [
      {
        'src/source/one.ts': "import type { Two } from '../gateway/two.ts';",
        'src/gateway/two.ts': "import type { Three } from '../identity/three.ts';",
        'src/identity/three.ts': "import type { One } from '../source/one.ts';",
      },
    ],
  },
  {
    name: 'no imports in a circle',
    reason:
      'files in a circle are one file that is hard to read, and load in an order that nobody chose',
    find: (modules) => findCircles(modules),
    broken: [
      {
        'src/lib/one.ts': "import './two.ts';",
        'src/lib/two.ts': "export * from './three.ts';",
        'src/lib/three.ts': "const one = () => import('./one.ts');",
      },
    ],
  },
  {
    name: 'each section of the state has one writer',
    reason:
      'a fact with two writers is wrong as soon as they disagree; everyone else is handed it read-only',
    find: (modules) => {
      const handed = modules.filter(({ path }) => path !== stateFile).flatMap(findHandedSections);
      return [...Map.groupBy(handed, ({ section }) => section)].flatMap(([section, ofIt]) => {
        const writers = new Set(ofIt.map(({ path }) => path));
        return writers.size <= 1 ? [] : [`${section}: ${[...writers].join(', ')}`];
      });
    },
    broken: [
      {
        'src/agent/pass/one.ts':
          "export const write = ({ service }: Pick<Sections, 'path' | 'service'>) => (service.registration = undefined);",
        'src/agent/talk/two.ts':
          "export const write = (of: Sections['service']) => (of.problem = undefined);",
      },
    ],
  },
  {
    name: 'only a late import loads the reference service',
    reason: 'its database and HTTP server are no part of what runs for years',
    find: (modules) =>
      modules
        .filter((module) => toFolder(module.path) !== 'reference-service')
        .flatMap((module) =>
          module.imports
            .filter((own) => own.kind === 'value' && own.to.startsWith('src/reference-service/'))
            .map((own) => `${module.path} imports ${own.to}`),
        ),
    broken: [
      {
        'src/cli/sandbox.ts':
          "import { startReferenceService } from '../reference-service/server.ts';",
      },
    ],
  },
];

/**
 * The sections of the state that a file can be handed to write: `Pick<Sections, 'path' | 'mode'>`,
 * `Sections['path']`.
 */
function findHandedSections({
  path,
  code,
}: Module): readonly { readonly section: string; readonly path: string }[] {
  const named = [...code.matchAll(/\bSections(?:,\s*|\[)((?:[\s|]*'\w+')+)/g)];
  return named.flatMap(([, names = '']) =>
    (names.match(/\w+/g) ?? []).map((section) => ({ section, path })),
  );
}

/** Also what another such file needs. */
function isLent(path: string): boolean {
  return crossings.some(({ to }) => to === path && (layerOf({ path })?.types.length ?? 0) > 0);
}

/** Folders of src and the files beside them. */
function toPlace(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** A house with this many rooms, one file in each. */
function makeHouse(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, room) => [`src/room${room}/one.ts`, '']),
  );
}

function layerOf({ path }: Pick<Module, 'path'>) {
  return layers.find((layer) => layer.folders.includes(toFolder(path)));
}

function mayImport(module: Module, { to, kind }: ModuleImport): boolean {
  const layer = layerOf(module);
  if (layer === undefined) return false;
  const folder = toFolder(to);
  return layer.values.includes(folder) || (kind === 'type' && layer.types.includes(folder));
}

function crossingOf(module: Module, { to }: ModuleImport) {
  return crossings.find((crossing) => crossing.from === module.path && to.startsWith(crossing.to));
}

/** The folders as if each were one file; types count too. */
function toFolderGraph(modules: readonly Module[]): readonly Pick<Module, 'path' | 'imports'>[] {
  const byPlace = Map.groupBy(modules, ({ path }) => toPlace(path));
  return [...byPlace].map(([path, files]) => ({
    path,
    imports: files
      .flatMap((file) => file.imports.filter(({ to }) => isOurs(to) && toPlace(to) !== path))
      .map(({ to }) => ({ to: toPlace(to), kind: 'value' as const })),
  }));
}

function findCircles(modules: readonly Pick<Module, 'path' | 'imports'>[]): readonly string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start !== -1) circles.push([...trail.slice(start), path].join(' → '));
    if (start !== -1 || done.has(path)) return;
    for (const own of byPath.get(path)?.imports ?? []) {
      if (own.kind !== 'type' && isOurs(own.to)) visit(own.to, [...trail, path]);
    }
    done.add(path);
  };
  for (const { path } of modules) visit(path, []);
  return circles;
}
