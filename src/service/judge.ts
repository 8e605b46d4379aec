import type * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import type { Secret } from '../lib/secret.ts';
import { type Answer, createAnswerError } from './answer.ts';
import type { ServiceError, ServiceErrorCode } from './errors.ts';
import { createJsonScan } from './json-scan.ts';
import { judgeStatus, notAuthorized } from './judge-status.ts';
import { mend } from './mend.ts';
import type { Operation } from './operation.ts';
import { type OperationName, type OperationResponse, operations } from './operations.ts';
import { scrub } from './scrub.ts';
import type { UnreadTally } from './unread.ts';
import { fromWire } from './wire-case.ts';

interface JudgedExchange<Name extends OperationName> {
  readonly name: Name;
  readonly answer: Answer;
  /** Secrets that were sent, which no message may repeat. */
  readonly secrets: readonly Secret[];
  /** The present time in ms since 1970, for a Retry-After that is a date. */
  readonly nowMs: number;
  /** Told of what is left out of the answer. */
  readonly unread?: UnreadTally | undefined;
}

/**
 * Reads an answer, or says what is wrong with it (production-profile, "Failures come through three
 * channels").
 * @throws answer-*, rate-limited, operation-not-served, service-failed, service-refused,
 * not-authorized, auth-code-refused, client-limit-exceeded, auth-code-limit-exceeded; each tells by
 * `maybeSent` whether the request may have had an effect
 */
export function judgeAnswer<Name extends OperationName>(
  exchange: JudgedExchange<Name>,
): OperationResponse<Name> {
  const fault = judgeStatus(exchange);
  if (fault !== undefined) throw fault;
  const { name, answer, secrets, unread } = exchange;
  return fromWire(
    judgeBody({ name, body: parseBody(name, answer), secrets, unread }),
  ) as OperationResponse<Name>;
}

type Body = Readonly<Record<string, unknown>>;

/** A parsed body, or a part of one: some of its fields, and some items of its list. */
interface JudgedBody extends Pick<JudgedExchange<OperationName>, 'name' | 'secrets' | 'unread'> {
  readonly body: Body;
  /** The index of the part's first item in the whole list; 0 by default. */
  readonly firstIndex?: number;
}

/**
 * The body after every field was checked, still with the wire's names. What is not needed and
 * cannot be read is left out.
 * @throws the codes of `judgeAnswer` that a body can cause
 */
export function judgeBody({
  name,
  body: given,
  secrets,
  unread,
  firstIndex = 0,
}: JudgedBody): Body {
  const operation: Operation = operations[name];
  // Some answers give the error as a plain text, which may be empty.
  const body = typeof given.error === 'string' ? { ...given, error: toError(given.error) } : given;
  const isNeeded = ([field, ...within]: readonly PropertyKey[]) =>
    within.length === 0 && !operation.spare?.includes(String(field));
  const { data, leftOut, fault } = mend(operation.response, body, isNeeded);
  if (operation.judgedBy !== 'caller' && (body.error ?? undefined) !== undefined) {
    const { message, ...limits } = isObject(body.error) ? body.error : {};
    const clientLimitExceeded = limits.client_limit_exceeded;
    const authCodeLimitExceeded = limits.auth_code_limit_exceeded;
    throw createRefusalError(
      name,
      { message, clientLimitExceeded, authCodeLimitExceeded },
      secrets,
    );
  }
  const describe = (issue: z.core.$ZodIssue) =>
    scrub(describeIssue(issue, body, firstIndex), secrets);
  if (fault !== undefined) throw createAnswerError('answer-invalid', operation, describe(fault));
  for (const issue of leftOut) unread?.add(describe(issue));
  return data as Body;
}

const toError = (message: string) => (message === '' ? undefined : { message });

function parseBody(name: OperationName, { text: given, headers }: Answer): Body {
  // `trim` also removes a byte order mark.
  const text = given.trim();
  const body = parseJson(text);
  if (isObject(body)) return body;
  const fail = (code: ServiceErrorCode, why: string) =>
    createAnswerError(code, operations[name], why);
  if (body !== undefined)
    throw fail('answer-invalid', `the answer is ${nameForm(nameKind(body))}, not a JSON object`);
  const isEncoded = headers['content-encoding'] !== undefined;
  const how = isEncoded ? ', and it is encoded although that was not asked for' : '';
  if (isCutOff(text)) throw fail('answer-truncated', `the answer breaks off${how}`);
  throw fail(
    'answer-not-json',
    `${text === '' ? 'the answer is empty' : 'the answer is not JSON'}${how}`,
  );
}

/** True for text that begins a JSON object but lacks its end. */
function isCutOff(text: string): boolean {
  const scan = createJsonScan(Number.POSITIVE_INFINITY);
  scan.follow(Buffer.from(text), 0);
  return text.startsWith('{') && !scan.isClosed();
}

/** `clients.0.description: expected a text, found a number`. The value itself is never quoted. */
function describeIssue(issue: z.core.$ZodIssue, body: Body, firstIndex: number): string {
  const { path } = issue;
  const found = path.reduce<unknown>(
    (value, key) => (value as Body | null | undefined)?.[String(key)],
    body,
  );
  const expected = 'expected' in issue ? nameForm(String(issue.expected)) : 'another form';
  const shown = path.map((key, depth) =>
    String(depth === 1 && typeof key === 'number' ? key + firstIndex : key),
  );
  return `${shown.join('.')}: expected ${expected}, found ${nameForm(nameKind(found))}`;
}

const forms: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a truth value',
  array: 'a list',
  object: 'a group of fields',
  record: 'a group of fields',
  null: 'nothing',
  undefined: 'nothing',
};

function nameForm(kind: string): string {
  return forms[kind] ?? kind;
}

function nameKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'array' : typeof value;
}

const isObject = (value: unknown): value is Body => nameKind(value) === 'object';

/**
 * The coded error for the `error` of an answer (service-interface, "Errors"). The request may have
 * changed something nevertheless.
 */
export function createRefusalError(
  name: OperationName,
  error: RefusalFields,
  secrets: readonly Secret[] = [],
): ServiceError {
  const message = typeof error.message === 'string' ? error.message : '';
  const said = scrub(message, secrets);
  const why =
    said === '' ? 'the service refused and gave no reason' : `the service refused: ${said}`;
  return createAnswerError(chooseRefusalCode(name, { ...error, message }), operations[name], why);
}

type RefusalFields = Readonly<
  Partial<Record<'message' | 'clientLimitExceeded' | 'authCodeLimitExceeded', unknown>>
>;

function chooseRefusalCode(
  name: OperationName,
  error: RefusalFields & { readonly message: string },
): ServiceErrorCode {
  if (error.clientLimitExceeded === true) return 'client-limit-exceeded';
  if (error.authCodeLimitExceeded === true) return 'auth-code-limit-exceeded';
  if (name === 'codeLogin') return 'auth-code-refused';
  return notAuthorized.test(error.message) ? 'not-authorized' : 'service-refused';
}
