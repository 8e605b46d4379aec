import * as z from 'zod';
import { Secret } from '../../lib/secret.ts';

/** A field that may be absent or null on the wire, and is then undefined. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** A list that may be absent or null on the wire, and is then empty. */
export const list = <T extends z.ZodType>(schema: T) =>
  schema
    .array()
    .nullish()
    .transform((value) => value ?? []);

/** A map that may be absent or null on the wire, and is then empty. Without a prototype: its keys are data, not names. */
export const map = <T extends z.ZodType>(schema: T) =>
  z
    .record(z.string(), schema)
    .nullish()
    .transform((value): Record<string, z.output<T>> => Object.assign(Object.create(null), value));

/** A token or key: a Secret as soon as it is read. An empty text counts as absent. */
export const secret = z
  .string()
  .nullish()
  .transform((value) => (value ? new Secret(value) : undefined));

export const text = maybe(z.string());
export const number = maybe(z.number());
export const flag = maybe(z.boolean());

/** The `error` object of a 200 answer; null or absent on success (service-interface, "Errors"). */
export const failure = z.object({
  message: text,
  client_limit_exceeded: flag,
  auth_code_limit_exceeded: flag,
  upgrade_required: flag,
});
export const errorObject = maybe(failure);
