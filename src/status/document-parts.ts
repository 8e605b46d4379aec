import * as z from 'zod';

/** What every section of the status document is made of: unknown values are null. */
export const time = z.iso.datetime().nullable();
export const bytes = z.number();
export const figure = bytes.nullable();
export const reason = z.object({
  code: z.string(),
  message: z.string(),
  action: z.string(),
  since: z.iso.datetime(),
});

/** The values that a part of the document is made from: dates for times, undefined for null. */
type Known<Part> = {
  readonly [Name in keyof Part]: null extends Part[Name]
    ? Exclude<Part[Name], null> | Date | undefined
    : Part[Name] | Date;
};

/** A part with its values; a date becomes a text. */
export function fill<Part extends z.ZodObject>(
  part: Part,
  known: Known<z.output<Part>>,
): z.output<Part> {
  const values = new Map<string, unknown>(Object.entries(known));
  const fields = Object.keys(part.shape).map((name) => {
    const value = values.get(name);
    return [name, value instanceof Date ? value.toISOString() : (value ?? null)];
  });
  return Object.fromEntries(fields) as z.output<Part>;
}
