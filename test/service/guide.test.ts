import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceErrorCodes } from '../../src/service/errors.ts';
import type { Operation } from '../../src/service/operation.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/development/service.md'), 'utf8');

/** The rows of the table that begins so, as cells. */
function findRows(header: string): readonly (readonly string[])[] {
  const rows =
    guide
      .slice(guide.indexOf(`\n${header}`))
      .trimStart()
      .split('\n\n')[0]
      ?.trimEnd()
      .split('\n') ?? [];
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function createRow(name: OperationName): readonly string[] {
  const { method, path, authentication, repeat, list, summary, isOutside }: Operation =
    operations[name];
  const token = {
    none: '',
    'any-jwt': 'network or client',
    'network-jwt': 'network',
    'guest-jwt': 'guest',
  }[authentication];
  const stream = list === undefined ? '' : 'yes';
  const documented = isDocumented[name] ?? (isOutside ? 'outside' : 'yes');
  const called = [`\`${name}\``, `${method} \`${path}\``, token, repeat, stream];
  return [...called, documented, inProduction[name] ?? 'yes', summary];
}

/** What documented services do not serve, or by which other operation. */
const isDocumented: Readonly<Partial<Record<OperationName, string>>> = {
  findProviderLocations: '`findLocations`',
  refreshToken: 'no',
};

/** What production services do not serve, or by which other operation. */
const inProduction: Readonly<Partial<Record<OperationName, string>>> = {
  findProviders: 'no',
  findLocations: '`findProviderLocations`',
  createProviderSpec: 'no',
  upgradeGuest: 'no',
  setProvide: 'no',
};

describe('the guide', () => {
  it('lists every operation as the table has it, and no other', () => {
    expect(findRows('| name |')).toEqual(
      (Object.keys(operations) as OperationName[]).map(createRow),
    );
  });

  it('explains every code with which a call can fail, and no other', () => {
    const codes = findRows('| code |').flatMap(([cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code),
    );
    expect(codes.toSorted()).toEqual(serviceErrorCodes.toSorted());
  });
});
