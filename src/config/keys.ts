import type * as z from 'zod';
import { type Config, configSchema } from './schema.ts';
import { isTree } from './tree.ts';

/** How a key's value is written on one line. */
export type KeyKind = 'text' | 'number' | 'boolean' | 'list' | 'objects';

/** A key of the configuration that holds a value and no further keys. */
export interface ConfigKey {
  readonly path: readonly string[];
  /** `provide.cap.bytes`. */
  readonly name: string;
  readonly kind: KeyKind;
  /** `TRIBUTARY_PROVIDE_CAP_BYTES`. */
  readonly environmentName: string;
  readonly schema: z.ZodType;
  /** The default as an owner would write it; undefined for a parsed one and for none. */
  readonly usualText: string | undefined;
}

/** Every such key, in the order of the schema. */
export function listConfigKeys(): readonly ConfigKey[] {
  return listKeysOf(configSchema, []);
}

/**
 * Names of the keys that are allowed below `path`; undefined where a key may have any name or no
 * key is allowed.
 */
export function listNamesBelow(path: readonly PropertyKey[]): readonly string[] | undefined {
  let schema: z.ZodType | undefined = configSchema;
  for (const part of path) schema = stepInto(unwrap(schema), part);
  const inner = unwrap(schema);
  return isObject(inner) ? Object.keys(inner.shape) : undefined;
}

type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> | undefined }
    : T | undefined;

/** A configuration that has only its valid keys. */
export type PartialConfig = Partially<Config>;

/**
 * The keys that are valid on their own, so that one wrong key does not hide problems between
 * others.
 */
export function pickValidKeys(given: unknown): PartialConfig {
  return (pickValid(configSchema, given) ?? {}) as PartialConfig;
}

function pickValid(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (isObject(inner)) {
    if (!isTree(value)) return undefined;
    return Object.fromEntries(
      Object.entries(inner.shape).map(([name, below]) => [
        name,
        pickValid(below as z.ZodType, value[name]),
      ]),
    );
  }
  if (inner?.type === 'array' && Array.isArray(value)) {
    return value.map((item) => pickValid((inner as z.ZodArray<z.ZodType>).element, item));
  }
  return schema.safeParse(value).data;
}

function listKeysOf(schema: z.ZodObject, above: readonly string[]): readonly ConfigKey[] {
  return Object.entries(schema.shape).flatMap(([name, value]) => {
    const path = [...above, name];
    const inner = unwrap(value as z.ZodType);
    if (isObject(inner)) return listKeysOf(inner, path);
    const environmentName = `TRIBUTARY_${path.join('_').toUpperCase()}`;
    return [
      {
        path,
        name: path.join('.'),
        kind: findKind(inner),
        environmentName,
        schema: value as z.ZodType,
        usualText: findUsualText(value as z.ZodType),
      },
    ];
  });
}

function findUsualText(schema: z.ZodType): string | undefined {
  const usual = schema.type === 'prefault' ? (schema as z.ZodPrefault).def.defaultValue : undefined;
  return typeof usual === 'string' ? usual : undefined;
}

function findKind(schema: z.ZodType | undefined): KeyKind {
  if (schema?.type === 'array') {
    return isObject(unwrap((schema as z.ZodArray<z.ZodType>).element)) ? 'objects' : 'list';
  }
  return schema?.type === 'number' || schema?.type === 'boolean' ? schema.type : 'text';
}

function stepInto(schema: z.ZodType | undefined, part: PropertyKey): z.ZodType | undefined {
  if (isObject(schema)) return schema.shape[String(part)] as z.ZodType | undefined;
  return schema?.type === 'array' ? (schema as z.ZodArray<z.ZodType>).element : undefined;
}

function isObject(schema: z.ZodType | undefined): schema is z.ZodObject {
  return schema?.type === 'object';
}

/** The schema without its default, `optional` and transforms. */
function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
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
