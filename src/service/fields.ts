import * as z from 'zod';
import { Secret } from '../lib/secret.ts';

/**
 * An object of the wire. Its fields are made at the first use, because schemas take memory and the
 * agent uses few of them.
 */
export const object = <Fields extends z.ZodRawShape>(fields: () => Fields) =>
  z.lazy(() => z.object(fields()));

/** A field that may be absent or null on the wire, and is then undefined. */
export const maybe = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A list that may be absent or null on the wire, and is then empty. */
export const list = <T extends z.ZodType>(schema: T) =>
  schema
    .array()
    .nullish()
    .transform((value) => value ?? []);

/**
 * A map that may be absent or null on the wire, and is then empty. It has no prototype, because its
 * keys are data.
 */
export const map = <T extends z.ZodType>(schema: T) =>
  z
    .record(z.string(), schema)
    .nullish()
    .transform((value): Record<string, z.output<T>> => Object.assign(Object.create(null), value));

/** A token or key, which becomes a Secret as soon as it is read. An empty text counts as absent. */
export const secret = z
  .string()
  .nullish()
  .transform((value) => (value ? new Secret(value) : undefined));

/** A text, number, whole number or truth value that may be absent. */
export const text = maybe(z.string());
export const number = maybe(z.number());
export const count = maybe(z.int().meta({ minimum: 1 }));
export const flag = maybe(z.boolean());
/** A provide mode in a request. The description of a profile lists the numbers. */
export const modeNumber = z.int().describe('Provide mode, as a number of the profile in use.');
/**
 * A whole number, or one of a few texts, by the interface. An answer with another number or text is
 * accepted all the same.
 */
export const integer = maybe(z.number().meta({ type: 'integer' }));
export const oneOf = (...values: readonly string[]) =>
  maybe(z.string().meta({ enum: [...values] }));

/**
 * A text in a form that the interface shows by example.
 * @param description what happened at that time
 */
export const time = (description: string) => text.meta({ description, format: 'date-time' });

const message = text.describe('What went wrong, in words.');
/** The `error` object of a 200 answer (service-interface, "Errors"). */
export const failure = object(() => ({ message }));
/** The `error` object of a registration. */
export const clientFailure = object(() => ({
  message,
  client_limit_exceeded: flag.describe(
    'True where the network has as many devices as it may have.',
  ),
  upgrade_required: flag.describe('True where the plan does not include it.'),
}));
/** The `error` object of a request for a code. */
export const codeFailure = object(() => ({
  message,
  auth_code_limit_exceeded: flag.describe('True where too many codes of the account are pending.'),
}));

const whereFailed = 'What went wrong; null or absent on success.';

/** An answer of the wire: its own fields, and the field that reports a failure. */
export const answer = <Fields extends z.ZodRawShape>(fields: () => Fields) =>
  object(() => ({ ...fields(), error: maybe(failure).describe(whereFailed) }));

/** An answer whose failure says more than what went wrong. */
export const answerOr = <Failed extends z.ZodType, Fields extends z.ZodRawShape>(
  failed: Failed,
  fields: () => Fields,
) => object(() => ({ ...fields(), error: maybe(failed).describe(whereFailed) }));
