import * as z from 'zod';
import { createJsonAnswer, type StatusAnswer } from '../answers.ts';
import { parseBody } from '../parse-body.ts';
import type { StatusSource } from '../source.ts';

/** Without a change, the settings are only listed. */
const settingRequest = z.strictObject({
  change: z.strictObject({ key: z.string(), text: z.string().max(8_000) }).optional(),
});

/**
 * Answers with the settings; where the request names one, that is changed first, and in force when
 * this resolves.
 * @throws usage-invalid, configuration-invalid, state-unwritable
 */
export async function answerSettings(
  { control }: StatusSource,
  body: string,
): Promise<StatusAnswer> {
  const { change } = parseBody(body, settingRequest);
  if (change !== undefined) await control.changeSetting(change);
  return createJsonAnswer(200, { settings: await control.settings() });
}
