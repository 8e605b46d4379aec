import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { type Comment, readComments } from './comments.ts';
import { type Contracts, readContracts } from './contracts.ts';
import { findDroppedWork } from './dropped-work.ts';
import { type FunctionShape, readFunctions } from './function-shapes.ts';

/** `value` is loaded with the module, `late` by import() when it is reached, `type` never. */
type ImportKind = 'value' | 'late' | 'type';

export interface ModuleImport {
  /**
   * A path below the root for a file of ours (`src/lib/errors.ts`), else the package or built-in as
   * it is written.
   */
  readonly to: string;
  readonly kind: ImportKind;
}

/** One source file, as far as the rules look at it. */
export interface Module extends Contracts {
  /** Below the root: `src/lib/errors.ts`. */
  readonly path: string;
  readonly lineCount: number;
  /** The text without its comments. */
  readonly code: string;
  readonly imports: readonly ModuleImport[];
  readonly hasDefaultExport: boolean;
  readonly functions: readonly FunctionShape[];
  readonly comments: readonly Comment[];
  /**
   * What is done as soon as the module is loaded: statements that are no declarations, and calls
   * outside of functions.
   */
  readonly actsAtImport: readonly string[];
  /** Work that is started and not waited for. */
  readonly droppedWork: readonly string[];
}

/** Every TypeScript file of a folder below the root. */
export function readModules(root: string, folder: string): readonly Module[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .sort()
    .map((path) => parseModule(path, readFileSync(posix.join(root, path), 'utf8')));
}

/** Reads a file with the bundler's own parser. @throws Error where it is no TypeScript */
export function parseModule(path: string, text: string): Module {
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const imports: ModuleImport[] = [];
  const functions: Span[] = [];
  const calls: Span[] = [];
  let hasDefaultExport = false;
  const add = (specifier: string, kind: ImportKind) =>
    imports.push({ to: resolveTarget(path, specifier), kind });
  const addFunction = (node: Span) => void functions.push(node);
  const addCall = (node: Span) => void calls.push(node);
  new Visitor({
    ImportDeclaration: (node) =>
      add(node.source.value, chooseKind(node.importKind, node.specifiers.map(readImportKind))),
    ExportAllDeclaration: (node) => add(node.source.value, chooseKind(node.exportKind, [])),
    ExportNamedDeclaration: (node) => {
      const kinds = node.specifiers.map((specifier) => specifier.exportKind);
      if (node.source !== null) add(node.source.value, chooseKind(node.exportKind, kinds));
      if (
        node.specifiers.some(
          (specifier) => text.slice(specifier.exported.start, specifier.exported.end) === 'default',
        )
      )
        hasDefaultExport = true;
    },
    ExportDefaultDeclaration: () => {
      hasDefaultExport = true;
    },
    TSExportAssignment: () => {
      // In a declaration file it describes a package of others.
      hasDefaultExport ||= !path.endsWith('.d.ts');
    },
    TSImportType: (node) => add(node.source.value, 'type'),
    ImportExpression: (node) => {
      addCall(node);
      const { source } = node;
      add(
        source.type === 'Literal'
          ? String(source.value)
          : `(${text.slice(source.start, source.end)})`,
        'late',
      );
    },
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    CallExpression: addCall,
    NewExpression: addCall,
    AwaitExpression: addCall,
  }).visit(program);
  const isLate = (call: Span) =>
    functions.some((outer) => outer.start <= call.start && call.end <= outer.end);
  return {
    path,
    lineCount: text.split('\n').length - 1,
    code: withoutComments(text, comments),
    imports,
    hasDefaultExport,
    functions: readFunctions(program, text),
    ...readContracts(program, text),
    comments: readComments(text, comments),
    actsAtImport: [
      ...program.body.filter((statement) => !isDeclaration(statement)),
      ...calls.filter((call) => !isLate(call) && !isHarmless(text.slice(call.start, call.end))),
    ].map((node) => firstLine(text.slice(node.start, node.end))),
    droppedWork: findDroppedWork(program, text),
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function resolveTarget(path: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
}

function readImportKind(specifier: { readonly type: string; readonly importKind?: string | null }) {
  return specifier.importKind ?? 'value';
}

/**
 * `import { type A, type B }` takes types only, like `import type { A, B }`; `import 'x'` takes the
 * module itself.
 */
function chooseKind(
  kind: string | null | undefined,
  specifiers: readonly (string | null | undefined)[],
): ImportKind {
  const isType =
    kind === 'type' ||
    (specifiers.length > 0 && specifiers.every((specifier) => specifier === 'type'));
  return isType ? 'type' : 'value';
}

function withoutComments(text: string, comments: readonly Span[]): string {
  let code = '';
  let at = 0;
  for (const { start, end } of comments) {
    code += text.slice(at, start);
    at = end;
  }
  return code + text.slice(at);
}

const declarations = /^(Import|Export\w*|Function|Class|TS\w+)(Declaration|Assignment)$/;

function isDeclaration(statement: {
  readonly type: string;
  readonly kind?: unknown;
  readonly declaration?: unknown;
}) {
  // A module-level `let` is a value that every caller shares.
  const inner = (statement.declaration ?? statement) as {
    readonly type: string;
    readonly kind?: unknown;
  };
  if (inner.type === 'VariableDeclaration') return inner.kind === 'const';
  return declarations.test(statement.type);
}

/**
 * Calls that only make a value: tables, schemas. What a function of ours may do is not known here,
 * but for schemas.
 */
function isHarmless(call: string): boolean {
  return harmless.some((start) => start.test(call));
}

const harmless = [
  // A schema of zod, or one made of another: `z.object(…)`, `secret.optional()`.
  /^z\s*\./,
  /^\w+(\([^()]*\))?(\s*\.\s*(optional|nullable|nullish|default|prefault|describe|transform|refine|pick)\b)+/,
  // Our own makers of schemas (config/values.ts, config/private-prefix.ts, service/fields.ts).
  /^(oneOf|line|listOf|wholeNumber|amount|textLike|textThat|hostPortThat|webAddress|privatePrefix|object|answer|answerOr|maybe|list|map)\(/,
  // Hands a command through, for its types alone; a call inside of it is looked at like any other.
  /^defineCommand\(\{/,
  /^new (Map|Set|RegExp|URL|Intl\.\w+)\b/,
  /^(Object\.(freeze|keys|values|entries|fromEntries)|Number|String|BigInt|Buffer\.(from|alloc)|promisify)\(/,
  // Text put together from its lines.
  /^\[[\s\S]*\]\.(join|map|flatMap|filter)\(/,
];

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 80);
}
