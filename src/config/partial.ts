import type * as z from 'zod';
import type { PartialConfig } from './combinations.ts';
import { isObject, unwrap } from './keys.ts';
import { configSchema } from './schema.ts';
import { isTree } from './tree.ts';

/** The keys that are right by themselves, so that one wrong key does not hide what is wrong between others. */
export function toPartialConfig(given: unknown): PartialConfig {
  return (pickValid(configSchema, given) ?? {}) as PartialConfig;
}

function pickValid(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (isObject(inner)) {
    if (!isTree(value)) return undefined;
    return Object.fromEntries(
      Object.entries(inner.shape).map(([name, below]) => [name, pickValid(below as z.ZodType, value[name])]),
    );
  }
  if (inner?.type === 'array' && Array.isArray(value)) {
    return value.map((item) => pickValid((inner as z.ZodArray<z.ZodType>).element, item));
  }
  return schema.safeParse(value).data;
}
