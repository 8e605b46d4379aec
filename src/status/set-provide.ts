import * as z from 'zod';
import { provideModes } from '../service/profiles.ts';
import { createJsonAnswer, parseBody, type StatusAnswer } from './answers.ts';
import { buildProvideDocument } from './document.ts';
import type { StatusSource } from './source.ts';

const longestOverrideSeconds = 366 * 86_400;

const provideRequest = z.strictObject({
  mode: z.enum(provideModes).nullable(),
  forSeconds: z.int().min(1).max(longestOverrideSeconds).optional(),
});

/** Sets the mode by hand, or takes it back with the mode null; answers when it is in force. @throws usage-invalid, state-unwritable */
export async function setProvide({ facts, control }: StatusSource, body: string | undefined): Promise<StatusAnswer> {
  const { mode, forSeconds } = parseBody(body, provideRequest);
  await (mode === null ? control.clearOverride() : control.setOverride(mode, forSeconds));
  return createJsonAnswer(200, buildProvideDocument(facts()));
}
