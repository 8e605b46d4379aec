import * as z from 'zod';
import { TributaryError } from '../lib/errors.ts';
import { parseJson } from '../lib/parse-json.ts';
import { provideModes } from '../service/profiles.ts';
import { createJsonAnswer, type StatusAnswer } from './answers.ts';
import { buildProvideDocument } from './document.ts';
import type { StatusSource } from './source.ts';

const longestOverrideSeconds = 366 * 86_400;

const provideRequest = z.strictObject({
  mode: z.enum(provideModes).nullable(),
  forSeconds: z.int().min(1).max(longestOverrideSeconds).optional(),
});

/** Sets the mode by hand, or takes it back with the mode null; answers when it is in force. @throws usage-invalid, state-unwritable */
export async function setProvide({ facts, control }: StatusSource, body: string): Promise<StatusAnswer> {
  const { mode, forSeconds } = parseRequest(body);
  await (mode === null ? control.clearOverride() : control.setOverride(mode, forSeconds));
  return createJsonAnswer(200, buildProvideDocument(facts()));
}

function parseRequest(body: string) {
  const value = parseJson(body);
  if (value === undefined) throw new TributaryError('usage-invalid', 'reading the request: its body is not JSON');
  const { data, error } = provideRequest.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const what = `${issue?.path.join('.') || 'body'}: ${issue?.message}`;
  throw new TributaryError('usage-invalid', `reading the request: ${what}`);
}
