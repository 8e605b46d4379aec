import type { IncomingMessage } from 'node:http';
import { clockRateHeader } from '../connect/socket/clock-rate.ts';
import { WireError } from '../connect/wire/wire-error.ts';
import { messageOf } from '../lib/errors.ts';
import type { Backend } from './backend.ts';
import { identifyClient } from './callers.ts';
import { hasCode } from './errors.ts';
import { readJson } from './listener.ts';
import { notAuthorized, respondWithText } from './text-response.ts';

/** A batch of reports is a few kilobytes. */
const bodyLimitBytes = 1024 ** 2;

/**
 * Answers `POST /connect/control`, the platform's control over HTTP: `{ "pack": base64 }` both
 * ways, and in the answer an `error` besides, which is null where every frame was carried out.
 */
export async function answerControl(
  backend: Backend,
  incoming: IncomingMessage,
): Promise<Response> {
  const caller = await identifyClient(backend, incoming.headers.authorization);
  if (caller === undefined) return notAuthorized();
  try {
    const body = await readJson(incoming, bodyLimitBytes);
    const { pack } = Object(body) as { readonly pack?: unknown };
    if (typeof pack !== 'string') return respondWithText(400, 'The body needs a pack.');
    const answer = await backend.platform.control(caller, Buffer.from(pack, 'base64'));
    const error = answer.error === undefined ? null : { message: answer.error };
    return Response.json(
      { pack: answer.pack.toString('base64'), error },
      { headers: { [clockRateHeader]: String(backend.platform.rate()) } },
    );
  } catch (error) {
    if (error instanceof WireError || hasCode(error, 'usage-invalid'))
      return respondWithText(400, messageOf(error));
    throw error;
  }
}
