import { hash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../lib/secret.ts';
import {
  answerNotFound,
  createJsonAnswer,
  type StatusAnswer,
  type StatusRequest,
} from '../answers.ts';
import { nameCaller } from '../limit-connections.ts';

const triesPerMinute = 10;
const callerLimit = 256;

/**
 * Lets an order of the page through (undefined) if it carries the token, or answers why not.
 * Another site would have to ask before it may send this header or content type (CORS), and nothing
 * here answers that question.
 * @param nowMs a monotonic clock in ms
 */
export function createGate(token: Secret | undefined, nowMs: () => number) {
  const attempts = createAttempts(triesPerMinute, 60_000);
  return (request: StatusRequest): StatusAnswer | undefined => {
    if (token === undefined) return answerNotFound();
    if (!isFromPage(request.headers))
      return createRefusal(403, 'Orders are taken from the page itself only.');
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      return createRefusal(415, 'An order is JSON, and says so in its content type.');
    }
    // The right token is checked before the waiting time, so a stranger who guesses cannot keep the
    // owner out. The token is too long to be guessed.
    if (isToken(request.headers.authorization, token)) return undefined;
    const waitMs = attempts(nameCaller(request.address), nowMs());
    if (waitMs > 0) {
      const waitSeconds = Math.ceil(waitMs / 1000);
      const refused = createRefusal(
        429,
        `Too many wrong tokens in a minute: try again in ${waitSeconds} s.`,
      );
      return { ...refused, headers: { 'Retry-After': String(waitSeconds) } };
    }
    return {
      ...createRefusal(401, 'This is not the token.'),
      headers: { 'WWW-Authenticate': 'Bearer' },
    };
  };
}

/**
 * How many ms a caller has to wait; 0 counts the try. A caller has `most` tries in `windowMs`; the
 * caller without a try for longest is forgotten.
 */
export function createAttempts(most: number, windowMs: number) {
  const tries = new Map<string, readonly number[]>();
  return (caller: string, nowMs: number): number => {
    const recent = (tries.get(caller) ?? []).filter((atMs) => nowMs - atMs < windowMs);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= most) return oldest + windowMs - nowMs;
    // It is deleted first, so that it becomes the last one to be forgotten.
    tries.delete(caller);
    tries.set(caller, [...recent, nowMs]);
    const [forgotten] = tries.keys();
    if (tries.size > callerLimit && forgotten !== undefined) tries.delete(forgotten);
    return 0;
  };
}

/**
 * Browsers say which site a request comes from. A program that says nothing has only its token to
 * show.
 */
function isFromPage({ host, origin, 'sec-fetch-site': site }: StatusRequest['headers']): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

/**
 * Hashes all have one length, so the time that the comparison takes tells nothing about the token.
 */
function isToken(authorization: string | undefined, token: Secret): boolean {
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token.reveal(), 'buffer'));
}

function createRefusal(status: number, message: string): StatusAnswer {
  return createJsonAnswer(status, { error: { code: 'not-allowed', message } });
}
