import type { Secret } from '../lib/secret.ts';
import type { Answer } from './answer.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { type OperationName, operations } from './operations.ts';
import { readRetryAfterSeconds } from './retry-after.ts';
import { scrub } from './scrub.ts';

type Asked = Readonly<Record<'method' | 'path', string>>;

interface JudgedStatus {
  /** The operation, or a request outside the table. */
  readonly name: OperationName | Asked;
  readonly answer: Answer;
  /** Secrets that were sent, which no message may repeat. */
  readonly secrets: readonly Secret[];
  /** The present time in ms since 1970, for a Retry-After that is a date. */
  readonly nowMs: number;
}

/**
 * What the status and kind of an answer already say is wrong with it; undefined where the body
 * decides.
 */
export function judgeStatus(exchange: JudgedStatus): ServiceError | undefined {
  const { name, answer, secrets, nowMs } = exchange;
  const [code, why] = findFault(name, answer) ?? [];
  if (code === undefined) return undefined;
  const said = isHtml(answer) ? '' : scrub(readMessage(answer.text), secrets);
  const { method, path } = typeof name === 'string' ? operations[name] : name;
  const mayRetry = code === 'rate-limited' || code === 'service-failed';
  return new ServiceError(code, `${method} ${path}: ${why}${said === '' ? '' : `: ${said}`}`, {
    // A service that fails may have done half of it, whatever it says.
    maybeSent: unclearFaults.includes(code) || answer.status === 500,
    retryAfterSeconds: mayRetry
      ? readRetryAfterSeconds(answer.headers['retry-after'], nowMs)
      : undefined,
  });
}

/**
 * Faults after which the request may have had its effect. After every other fault it surely had
 * none.
 */
const unclearFaults: readonly ServiceErrorCode[] = [
  'answer-redirected',
  'service-failed',
  'answer-not-json',
];

/** Words by which a service says that a token is not valid. */
export const notAuthorized =
  /\b(not authori[sz]ed|unauthori[sz]ed|(invalid|expired) (jwt|token)|(jwt|token) (is |has )?(invalid|expired))\b/i;

function findFault(
  name: JudgedStatus['name'],
  answer: Answer,
): readonly [code: ServiceErrorCode, why: string] | undefined {
  const { status } = answer;
  const beginning = answer.text.slice(0, 1000);
  if (status >= 300 && status < 400)
    return ['answer-redirected', `answered ${status} ${describeTarget(answer)}`];
  if (status === 429 || (status === 503 && /attempts exceeded/i.test(beginning))) {
    return ['rate-limited', `too many requests (${status})`];
  }
  if (isRefusal(answer)) return ['service-refused', `the service refused (${status})`];
  if (status >= 500 && status !== 501) return ['service-failed', `the service failed (${status})`];
  // The service never sends a page, whatever the status is. So the 401 of a captive portal does not
  // sign the device out.
  const page = `an HTML page (${status}) came instead of JSON, from a captive portal or a proxy on the way`;
  if (isHtml(answer)) return ['answer-not-json', page];
  if (status >= 200 && status < 300) return undefined;
  if ([404, 405, 501].includes(status)) {
    return ['operation-not-served', `the service does not serve this operation (${status})`];
  }
  return findRefusal(name, status, beginning);
}

function findRefusal(
  name: JudgedStatus['name'],
  status: number,
  beginning: string,
): readonly [code: ServiceErrorCode, why: string] {
  if (status === 402 && name === 'authClient')
    return ['client-limit-exceeded', `the service asks for payment (${status})`];
  const isAboutToken = status === 401 || notAuthorized.test(beginning);
  const refused = name === 'codeLogin' ? 'auth-code-refused' : 'not-authorized';
  return [isAboutToken ? refused : 'service-refused', `the service refused (${status})`];
}

/** Words by which a service speaks of itself, not of what was asked. */
const faultOfService =
  /^error\b|\b(internal|server|gateway|timed? ?out|unavailable|overload\w*|database|connection|deadline|panic|try again|later|unexpected|wrong|something)\b/i;

/**
 * True for a 500 whose text is one plain sentence about what was asked, such as "Invalid login.":
 * a production service refuses so, and asking again changes nothing.
 */
function isRefusal({ status, headers, text: given }: Answer): boolean {
  const text = given.trim();
  return (
    status === 500 &&
    /^text\/plain\b/i.test(headers['content-type'] ?? '') &&
    text.length <= 200 &&
    /^\p{Lu}[\p{L}'’,-]*( [\p{L}\p{N}'’",()-]+){1,30}(\.|!|…|\.\.\.)?$/u.test(text) &&
    !faultOfService.test(text)
  );
}

/** What a failing answer says: the message of its `error`, otherwise its text. */
function readMessage(text: string): string {
  try {
    const body = JSON.parse(text);
    const message = body?.error?.message ?? body?.error ?? body?.message;
    return typeof message === 'string' ? message : '';
  } catch {
    return text;
  }
}

function isHtml(answer: Answer): boolean {
  return (
    /\b(text\/html|application\/xhtml)/i.test(answer.headers['content-type'] ?? '') ||
    /^\s*<(!doctype|html|head|body)/i.test(answer.text.slice(0, 200))
  );
}

/** Names only the host: the rest of the address may contain a session or a token. */
function describeTarget(answer: Answer): string {
  const { location } = answer.headers;
  if (location === undefined) return 'without a new address';
  const host = URL.parse(location)?.host ?? '';
  return host === '' ? 'and points elsewhere on the same host' : `and points to ${scrub(host, [])}`;
}
