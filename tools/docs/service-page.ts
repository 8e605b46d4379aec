import type { Operation } from '../../src/service/operation.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { type Profile, profiles } from '../../src/service/profiles.ts';
import { fillPage, renderTable, toCell, toCode } from './markdown.ts';

const tokens: Readonly<Record<Operation['authentication'], string>> = {
  none: '',
  'any-jwt': 'network or client',
  'network-jwt': 'network',
  'guest-jwt': 'guest',
};

/** docs/service.md: the guide to the client, with every operation. */
export function renderServicePage(): string {
  const all: readonly (readonly [string, Operation])[] = Object.entries(operations);
  const rows = all.map(
    ([name, { method, path, authentication, repeat, list, summary, ...more }]) => [
      toCode(name),
      `${method} ${toCode(path)}`,
      tokens[authentication],
      repeat,
      list === undefined ? '' : 'yes',
      more.isOutside ? 'outside' : '',
      describeServed(profiles.production, name as OperationName),
      toCell(summary),
    ],
  );
  const header = [
    'name',
    'method and path',
    'token',
    'repeat',
    'stream',
    'documented',
    'production',
    '',
  ];
  return fillPage('service.md', { operations: renderTable(header, rows) });
}

/** What serves an operation in a profile: nothing is said of one that serves itself. */
function describeServed({ notServed, servedBy }: Profile, name: OperationName): string {
  if (!notServed.includes(name)) return '';
  const other = servedBy[name];
  return other === undefined ? 'no' : toCode(other);
}
