import { operations } from '../../src/service/operations.ts';
import { profiles } from '../../src/service/profiles.ts';
import type { Module } from './module-graph.ts';
import type { Rule } from './rule.ts';

const commands = 'src/cli/program.ts';

/** What of the service's interface reaches people. */
export const interfaceRules: readonly Rule[] = [
  {
    name: 'every operation of the service is called by a command',
    reason:
      'an owner on a headless box has the whole interface, or is left with curl for the rest of it',
    find: (modules) => {
      const called = findCalled(modules);
      return Object.keys(operations)
        .filter((name) => !called.has(name) && !called.has(inPlaceOf.get(name) ?? ''))
        .map((name) => `nothing that ${commands} leads to calls ${name}`);
    },
    broken: [
      // A command that nothing leads to does not count as the command of a call.
      Object.fromEntries([
        [commands, "export const load = () => import('./commands/service/network.ts');"],
        [
          'src/cli/commands/service/network.ts',
          "export const ask = (session) => session.call('clients', undefined);",
        ],
        ...Object.keys(operations).map((name) => [
          `src/cli/${name.toLowerCase()}.ts`,
          renderCall(name),
        ]),
      ]),
    ],
  },
];

/** Of an operation that a profile has in the place of another, that other. */
const inPlaceOf = new Map<string, string>(
  Object.entries(profiles.production.servedBy).map(([name, other]) => [other, name]),
);

/** Names in `.call('…')` and `.stream('…')` of whatever the commands load, at once or late. */
function findCalled(modules: readonly Module[]): ReadonlySet<string> {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const reached = new Set([commands]);
  for (const path of reached) {
    for (const { to, kind } of byPath.get(path)?.imports ?? []) {
      if (kind !== 'type' && byPath.has(to) && !to.startsWith('src/reference-service/'))
        reached.add(to);
    }
  }
  const code = [...reached].map((path) => byPath.get(path)?.code ?? '').join('\n');
  return new Set(
    [...code.matchAll(/\.\s*(?:call|stream)\(\s*'(\w+)'/g)].map(([, name = '']) => name),
  );
}

function renderCall(name: string): string {
  return `export const ask = (session) => session.call('${name}', undefined);`;
}
