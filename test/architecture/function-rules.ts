import type { FunctionShape } from './function-shapes.ts';
import type { Module } from './module-graph.ts';
import type { Rule } from './rule.ts';

const most = 3;

/** What a call looks like to its reader. */
export const functionRules: readonly Rule[] = [
  {
    name: `no function has more than ${most} positional parameters`,
    reason:
      'a reader of the call counts commas to know which value is which; one readonly object names them',
    find: (modules) =>
      findFunctions(modules, ({ parameterCount }) => parameterCount > most).map(
        ([path, { line, parameterCount }]) => `${path}: ${line} has ${parameterCount} parameters`,
      ),
    broken: [
      {
        'src/lib/units.ts': 'export function format(a: number, b: number, c: number, d: number) {}',
      },
      { 'src/lib/units.ts': 'const format = (a: number, b: number, c = 1, d?: number) => a;' },
      {
        'src/lib/units.ts':
          'const format = async function (a: number, b: number, c: number, ...d: number[]) {}',
      },
      {
        'src/lib/units.ts':
          'const units = { format(a: number, b: number, c: number, { d }: { d: number }) {} };',
      },
      {
        'src/lib/units.ts':
          'class Units { constructor(a: number, b: number, c: number, private readonly d: number) {} }',
      },
      {
        'src/lib/units.ts':
          'interface Units { format(a: number, b: number, c: number, d: number): string }',
      },
      {
        'src/lib/units.ts': 'type Format = (a: number, b: number, c: number, d: number) => string;',
      },
    ],
  },
  {
    name: 'no function has a positional parameter that is true or false',
    reason: '`true` at a call says nothing; a field of an object has a name there',
    find: (modules) =>
      findFunctions(modules, ({ hasBoolean }) => hasBoolean).map(
        ([path, { line }]) => `${path}: ${line} has a boolean parameter`,
      ),
    broken: [
      { 'src/lib/units.ts': 'export function format(value: number, isShort: boolean) {}' },
      { 'src/lib/units.ts': 'const format = (value: number, isShort?: boolean) => value;' },
      {
        'src/lib/units.ts':
          'const format = (value: number, isShort: boolean | undefined) => value;',
      },
      { 'src/lib/units.ts': 'const format = (value: number, isShort: true) => value;' },
      { 'src/lib/units.ts': 'const format = (value: number, isShort = false) => value;' },
      { 'src/lib/units.ts': 'const units = { format(isShort: boolean = isTty()) {} };' },
      { 'src/lib/units.ts': 'class Units { constructor(private readonly isShort: boolean) {} }' },
      {
        'src/lib/units.ts':
          'class Units { format(isShort: boolean): void; format(isShort: unknown) {} }',
      },
      { 'src/lib/units.ts': 'interface Units { format(isShort: boolean): string }' },
      { 'src/lib/units.ts': 'type Format = (isShort: boolean) => string;' },
    ],
  },
];

function findFunctions(
  modules: readonly Module[],
  isWrong: (shape: FunctionShape) => boolean,
): readonly (readonly [string, FunctionShape])[] {
  return modules
    .flatMap(({ path, functions }) => functions.map((shape) => [path, shape] as const))
    .filter(([, shape]) => isWrong(shape));
}
