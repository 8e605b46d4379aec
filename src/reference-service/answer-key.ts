import type { Backend } from './backend.ts';
import { respondWithText } from './text-response.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Answers `GET /key/<client>` to everybody: a client's public key, or null where it has none. */
export function answerKey({ platform }: Pick<Backend, 'platform'>, clientId: string): Response {
  if (!uuid.test(clientId))
    return respondWithText(400, 'The key of a client is asked for by its id.');
  const key = platform.findKey(clientId.toLowerCase());
  return Response.json({ public_key: key?.toString('base64') ?? null });
}
