import { type ErrorCode, TributaryError } from '../lib/errors.ts';
import type { Answer, JudgedExchange } from './answer.ts';
import { type OperationName, operations } from './operations.ts';
import { notAuthorized } from './refusal.ts';
import { readRetryAfterSeconds } from './retry-after.ts';
import { scrub } from './scrub.ts';

/** What is wrong with an answer by its status and kind alone; undefined where the body decides. */
export function judgeStatus(exchange: JudgedExchange<OperationName>): TributaryError | undefined {
  const { name, answer } = exchange;
  const fault = findRedirect(answer) ?? findFailure(answer) ?? findPage(answer) ?? findRefusal(name, answer);
  if (fault === undefined) return undefined;
  const said = isHtml(answer) ? '' : scrub(readMessage(answer.text), exchange.secrets);
  const { method, path } = operations[name];
  return new TributaryError(fault.code, `${method} ${path}: ${fault.why}${said === '' ? '' : `: ${said}`}`, {
    maybeSent: fault.maybeSent,
    retryAfterSeconds: fault.mayRetry
      ? readRetryAfterSeconds(answer.headers['retry-after'], exchange.nowMs)
      : undefined,
  });
}

interface Fault {
  readonly code: ErrorCode;
  readonly why: string;
  readonly maybeSent: boolean;
  readonly mayRetry?: boolean;
}

function findRedirect(answer: Answer): Fault | undefined {
  if (answer.status < 300 || answer.status >= 400) return undefined;
  return { code: 'answer-redirected', why: `answered ${answer.status} ${describeTarget(answer)}`, maybeSent: true };
}

function findFailure({ status, text }: Answer): Fault | undefined {
  if (status === 429 || (status === 503 && /attempts exceeded/i.test(text.slice(0, 1000)))) {
    return { code: 'rate-limited', why: `too many requests (${status})`, maybeSent: false, mayRetry: true };
  }
  if (status < 500 || status === 501) return undefined;
  return { code: 'service-failed', why: `the service failed (${status})`, maybeSent: true, mayRetry: true };
}

/** A page never comes from the service, whatever its status is: a captive portal's 401 does not sign the device out. */
function findPage(answer: Answer): Fault | undefined {
  if (!isHtml(answer)) return undefined;
  const why = `an HTML page (${answer.status}) came instead of JSON, from a captive portal or a proxy on the way`;
  return { code: 'answer-not-json', why, maybeSent: true };
}

function findRefusal(name: OperationName, { status, text }: Answer): Fault | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 404 || status === 405 || status === 501) {
    const why = `the service does not serve this operation (${status})`;
    return { code: 'operation-not-served', why, maybeSent: false };
  }
  const why = `the service refused (${status})`;
  if (status !== 401 && !notAuthorized.test(text.slice(0, 1000)))
    return { code: 'service-refused', why, maybeSent: false };
  return { code: name === 'codeLogin' ? 'auth-code-refused' : 'not-authorized', why, maybeSent: false };
}

/** What a failing answer says for itself: the message of its `error`, else its text. */
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

/** The host alone: the rest of the address may hold a session or a token. */
function describeTarget(answer: Answer): string {
  const { location } = answer.headers;
  if (location === undefined) return 'without a new address';
  const host = URL.parse(location)?.host ?? '';
  return host === '' ? 'and points elsewhere on the same host' : `and points to ${scrub(host, [])}`;
}
