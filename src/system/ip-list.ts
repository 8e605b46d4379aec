import * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { SystemError } from './errors.ts';
import type { Exec, Talk } from './exec.ts';

/** Rows that a tool lists in JSON. */
export interface Listing<T> {
  readonly row: z.ZodType<T>;
  readonly doing: string;
}

/** Rows of a question to `ip`: `-4 rule show`. @throws command-failed, missing-program */
export async function listIp<T>(
  exec: Exec,
  words: string,
  { row, doing }: Listing<T>,
): Promise<readonly T[]> {
  const [option, ...line] = words.split(' ');
  const talk: Talk = { to: option === '-6' ? 'ip -6' : 'ip', lines: [line.join(' ')] };
  const text = await exec({ program: 'ip', args: ['-j', ...words.split(' ')], doing, talk });
  // With nothing to list, ip prints nothing at all, or empty objects as in `[{},{}]`.
  const parsed = z
    .array(z.union([z.strictObject({}), row]))
    .safeParse(text.trim() === '' ? [] : parseJson(text));
  if (!parsed.success)
    throw new SystemError('command-failed', `${doing}: ip printed something unexpected`);
  return parsed.data.filter((found): found is T => Object.keys(found as object).length > 0);
}
