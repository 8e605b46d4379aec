import { readFile, writeFile } from 'node:fs/promises';
import type * as z from 'zod';
import { Secret } from '../../src/lib/secret.ts';
import type { Operation } from '../../src/service/operation.ts';
import { operations } from '../../src/service/operations.ts';
import { toCamel } from '../../src/service/wire-case.ts';

/*
 * document-types.ts OPERATIONS.D.TS: makes editors show what the schemas say about each field of a
 * request or an answer. A type that renames fields loses their comments, so the declarations of the
 * package get every field written out.
 */

type Side = 'request' | 'response';

const aliases = [
  ['export type OperationRequest<Name extends OperationName>', 'Requests', 'request'],
  ['export type OperationResponse<Name extends OperationName>', 'Responses', 'response'],
] as const;

/**
 * Writes the types out.
 * @throws RangeError if the declarations lack one of the two types that are written out
 */
function documentTypes(declarations: string): string {
  const shortened = aliases.reduce((text, [alias, all]) => {
    const [before, after, ...others] = text.split(alias);
    if (before === undefined || after === undefined || others.length > 0)
      throw new RangeError(`no type ${alias}`);
    return `${before}${alias} = ${all}[Name];\n${after.slice(after.indexOf(';\n') + 2)}`;
  }, declarations);
  const writtenOut = aliases.map(
    ([, all, side]) => `interface ${all} {\n${renderOperations(side).join('')}}\n`,
  );
  return `import type { Secret } from '../lib/secret.ts';\n${shortened}${writtenOut.join('')}`;
}

function renderOperations(side: Side): readonly string[] {
  const all: readonly (readonly [string, Operation])[] = Object.entries(operations);
  return all.map(([name, { summary, [side]: schema }]) => {
    return `/** ${summary} */\n${name}: ${schema === undefined ? 'undefined' : renderType(schema, side)};\n`;
  });
}

/**
 * Writers by zod's name for the kind of schema. A writer for a kind that contains others calls
 * their writers.
 */
const writers: Readonly<Record<string, (schema: z.ZodType, side: Side) => string>> = {
  lazy: (schema, side) => renderType((schema as z.ZodLazy<z.ZodType>).def.getter(), side),
  optional: (schema, side) =>
    renderMaybe((schema as z.ZodOptional<z.ZodType>).def.innerType, 'undefined', side),
  nullable: (schema, side) =>
    renderMaybe((schema as z.ZodNullable<z.ZodType>).def.innerType, 'null', side),
  pipe(schema, side) {
    const sent = renderType((schema as z.ZodPipe<z.ZodType>).def.in, side);
    if (side === 'request') return sent;
    // The value that a schema makes of null tells whether the field may be absent.
    const isThere = schema.safeParse(null).data !== undefined;
    const isSecret = schema.safeParse('a').data instanceof Secret;
    return `${isSecret ? 'Secret' : sent}${isThere ? '' : ' | undefined'}`;
  },
  array: (schema, side) =>
    `readonly (${renderType((schema as z.ZodArray<z.ZodType>).element, side)})[]`,
  record: (schema, side) =>
    `{ readonly [key: string]: ${renderType((schema as z.ZodRecord<z.ZodString, z.ZodType>).valueType, side)} }`,
  union: (schema, side) =>
    (schema as z.ZodUnion<readonly z.ZodType[]>).options
      .map((option) => renderType(option, side))
      .join(' | '),
  enum: (schema, side) =>
    [
      ...(schema as z.ZodEnum).options.map((text) => `'${text}'`),
      ...(side === 'request' ? ['Secret'] : []),
    ].join(' | '),
  object: renderObject,
  string: (_, side) => (side === 'request' ? 'string | Secret' : 'string'),
  number: () => 'number',
  boolean: () => 'boolean',
  unknown: () => 'unknown',
};

/** The type of a schema. @throws RangeError for a kind of schema that no operation had before */
function renderType(schema: z.ZodType, side: Side): string {
  const write = writers[schema.type];
  if (write === undefined) throw new RangeError(`no type for ${schema.type}`);
  return write(schema, side);
}

/** In an answer, the schema's transform decides about null and undefined. */
function renderMaybe(inner: z.ZodType, none: string, side: Side): string {
  return side === 'response' ? renderType(inner, side) : `${renderType(inner, side)} | ${none}`;
}

function renderObject(schema: z.ZodType, side: Side): string {
  const fields = Object.entries((schema as z.ZodObject<Record<string, z.ZodType>>).shape).map(
    ([name, field]) => {
      const optional = side === 'request' && field.safeParse(undefined).success ? '?' : '';
      return `/** ${field.description ?? ''} */\nreadonly ${toCamel(name)}${optional}: ${renderType(field, side)};\n`;
    },
  );
  return fields.length === 0 ? '{ readonly [key: string]: never }' : `{\n${fields.join('')}}`;
}

const [, , path = ''] = process.argv;
await writeFile(path, documentTypes(await readFile(path, 'utf8')));
