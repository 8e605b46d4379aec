import type { Operation } from '../../src/service/operation.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { type Profile, profileNames, profiles } from '../../src/service/profiles.ts';
import { fillPage, renderTable, toCell, toCode } from './markdown.ts';

const tokens: Readonly<Record<Operation['authentication'], string>> = {
  none: '',
  'any-jwt': 'network or client',
  'network-jwt': 'network',
  'guest-jwt': 'guest',
};

/** docs/development/service.md: the guide to the client, with every operation. */
export function renderServicePage(): string {
  const all: readonly (readonly [string, Operation])[] = Object.entries(operations);
  const rows = all.map(([name, { method, path, authentication, repeat, list, summary }]) => [
    toCode(name),
    `${method} ${toCode(path)}`,
    tokens[authentication],
    repeat,
    list === undefined ? '' : 'yes',
    ...profileNames.map((own) => describeServed(profiles[own], name as OperationName)),
    toCell(summary),
  ]);
  const header = ['name', 'method and path', 'token', 'repeat', 'stream', ...profileNames, ''];
  return fillPage('service.md', { operations: renderTable(header, rows) });
}

/** What serves an operation in a profile: itself, another one, nothing, or what lies outside it. */
function describeServed(profile: Profile, name: OperationName): string {
  const { isOutside }: Operation = operations[name];
  const other = profile.servedBy[name];
  if (other !== undefined) return toCode(other);
  if (profile.notServed.includes(name)) return 'no';
  return isOutside === true && profile.name === 'documented' ? 'outside' : 'yes';
}
