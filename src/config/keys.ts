import type * as z from 'zod';
import { configSchema } from './schema.ts';

/** How a key's value is written in one line of text. */
export type KeyKind = 'text' | 'number' | 'boolean' | 'list' | 'objects';

/** One key of the configuration that holds a value, not further keys. */
export interface ConfigKey {
  /** `['provide', 'cap', 'bytes']`. */
  readonly path: readonly string[];
  readonly kind: KeyKind;
  /** `TRIBUTARY_PROVIDE_CAP_BYTES`. */
  readonly environmentName: string;
  readonly schema: z.ZodType;
}

/** Every key that holds a value, in the order of the schema. */
export function listConfigKeys(): readonly ConfigKey[] {
  return listKeysOf(configSchema, []);
}

/** Names of the keys that may stand below `path`; undefined where none may. */
export function listNamesBelow(path: readonly PropertyKey[]): readonly string[] | undefined {
  let schema: z.ZodType | undefined = configSchema;
  for (const part of path) schema = stepInto(unwrap(schema), part);
  const inner = unwrap(schema);
  return isObject(inner) ? Object.keys(inner.shape) : undefined;
}

function listKeysOf(schema: z.ZodObject, above: readonly string[]): readonly ConfigKey[] {
  return Object.entries(schema.shape).flatMap(([name, value]) => {
    const path = [...above, name];
    const inner = unwrap(value as z.ZodType);
    if (isObject(inner)) return listKeysOf(inner, path);
    const environmentName = `TRIBUTARY_${path.join('_').toUpperCase()}`;
    return [{ path, kind: toKind(inner), environmentName, schema: value as z.ZodType }];
  });
}

function toKind(schema: z.ZodType | undefined): KeyKind {
  if (schema?.type === 'array') {
    return isObject(unwrap((schema as z.ZodArray<z.ZodType>).element)) ? 'objects' : 'list';
  }
  return schema?.type === 'number' || schema?.type === 'boolean' ? schema.type : 'text';
}

function stepInto(schema: z.ZodType | undefined, part: PropertyKey): z.ZodType | undefined {
  if (isObject(schema)) return schema.shape[String(part)] as z.ZodType | undefined;
  return schema?.type === 'array' ? (schema as z.ZodArray<z.ZodType>).element : undefined;
}

/** True for the schema of a map with known keys. */
export function isObject(schema: z.ZodType | undefined): schema is z.ZodObject {
  return schema?.type === 'object';
}

/** The schema without its default, `optional` and transforms. */
export function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  switch (schema?.type) {
    case 'default':
    case 'prefault':
    case 'optional':
      return unwrap((schema as z.ZodOptional<z.ZodType>).def.innerType);
    case 'pipe':
      return unwrap((schema as z.ZodPipe<z.ZodType>).def.in);
    default:
      return schema;
  }
}
