import type { Operation } from '../../src/service/operation.ts';
import { operations } from '../../src/service/operations.ts';
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
  const rows = all.map(([name, { method, path, authentication, repeat, list, summary }]) => [
    toCode(name),
    `${method} ${toCode(path)}`,
    tokens[authentication],
    repeat,
    list === undefined ? '' : 'yes',
    toCell(summary),
  ]);
  const header = ['name', 'method and path', 'token', 'repeat', 'stream', ''];
  return fillPage('service.md', { operations: renderTable(header, rows) });
}
