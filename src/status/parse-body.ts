import type * as z from 'zod';
import { TributaryError } from '../errors/codes.ts';
import { parseJson } from '../lib/parse-json.ts';

/** What a request's body says. @throws usage-invalid, with the place of the first mistake */
export function parseBody<Schema extends z.ZodType>(
  body: string,
  schema: Schema,
): z.output<Schema> {
  const value = parseJson(body);
  if (value === undefined)
    throw new TributaryError('usage-invalid', 'reading the request: its body is not JSON');
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const what = `${issue?.path.join('.') || 'body'}: ${issue?.message}`;
  throw new TributaryError('usage-invalid', `reading the request: ${what}`);
}
