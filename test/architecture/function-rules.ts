import type { FunctionShape } from './function-shapes.ts';
import type { Module } from './module-graph.ts';
import { type Rule, toFolder } from './rule.ts';

const most = 3;

/** Folders of src that do not keep to the rules of parameters yet; '' is the root. */
const notYetClean: readonly string[] = ['cli', 'health', 'packaging', 'reference-service'];

/** Callbacks whose parameters a library decides, by file and by what their first line begins with. */
const foreign: readonly { readonly path: string; readonly begins: string; readonly reason: string }[] = [
  {
    path: 'src/cli/config.ts',
    begins: 'async (key: string, text: string, _options',
    reason: 'commander hands over arguments, options and command one by one',
  },
];

/** What a call looks like to its reader. */
export const functionRules: readonly Rule[] = [
  {
    name: `no function has more than ${most} positional parameters`,
    reason: 'a reader of the call counts commas to know which value is which; one readonly object names them',
    find: (modules) =>
      findFunctions(modules, ({ parameterCount }) => parameterCount > most).map(
        ([path, { line, parameterCount }]) => `${path}: ${line} has ${parameterCount} parameters`,
      ),
    broken: [
      { 'src/lib/units.ts': 'export function format(a: number, b: number, c: number, d: number) {}' },
      { 'src/lib/units.ts': 'const format = (a: number, b: number, c = 1, d?: number) => a;' },
      { 'src/lib/units.ts': 'const format = async function (a: number, b: number, c: number, ...d: number[]) {}' },
      { 'src/lib/units.ts': 'const units = { format(a: number, b: number, c: number, { d }: { d: number }) {} };' },
      {
        'src/lib/units.ts':
          'class Units { constructor(a: number, b: number, c: number, private readonly d: number) {} }',
      },
      { 'src/lib/units.ts': 'interface Units { format(a: number, b: number, c: number, d: number): string }' },
      { 'src/lib/units.ts': 'type Format = (a: number, b: number, c: number, d: number) => string;' },
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
      { 'src/lib/units.ts': 'const format = (value: number, isShort: boolean | undefined) => value;' },
      { 'src/lib/units.ts': 'const format = (value: number, isShort: true) => value;' },
      { 'src/lib/units.ts': 'const format = (value: number, isShort = false) => value;' },
      { 'src/lib/units.ts': 'const units = { format(isShort: boolean = isTty()) {} };' },
      { 'src/lib/units.ts': 'class Units { constructor(private readonly isShort: boolean) {} }' },
      { 'src/lib/units.ts': 'class Units { format(isShort: boolean): void; format(isShort: unknown) {} }' },
      { 'src/lib/units.ts': 'interface Units { format(isShort: boolean): string }' },
      { 'src/lib/units.ts': 'type Format = (isShort: boolean) => string;' },
    ],
  },
  {
    name: 'every foreign callback is there',
    reason: 'an exception that nothing needs any more is a hole',
    find: (modules) =>
      foreign
        .filter(({ path, begins }) =>
          modules.every((own) => own.path !== path || own.functions.every(({ line }) => !line.startsWith(begins))),
        )
        .map(({ path, begins }) => `${path} has no ${begins}`),
    broken: [{ 'src/cli/config.ts': '' }],
  },
];

function findFunctions(
  modules: readonly Module[],
  isWrong: (shape: FunctionShape) => boolean,
): readonly (readonly [string, FunctionShape])[] {
  return modules
    .filter(({ path }) => !notYetClean.includes(toFolder(path)))
    .flatMap(({ path, functions }) => functions.map((shape) => [path, shape] as const))
    .filter(([path, shape]) => isWrong(shape) && !isForeign(path, shape));
}

function isForeign(path: string, { line }: FunctionShape): boolean {
  return foreign.some((callback) => callback.path === path && line.startsWith(callback.begins));
}
