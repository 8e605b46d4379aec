import type * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import type { Secret } from '../lib/secret.ts';
import { type Answer, createAnswerError, type JudgedExchange } from './answer.ts';
import { createJsonScan } from './json-scan.ts';
import { judgeStatus } from './judge-status.ts';
import type { Operation } from './operation.ts';
import { type OperationName, type OperationResponse, operations } from './operations.ts';
import { createRefusalError, type RefusalFields } from './refusal.ts';
import { scrub } from './scrub.ts';
import { fromWire } from './wire-case.ts';

/**
 * Reads an answer, or says what is wrong with it (production-profile, "Failures come through three channels").
 * @throws answer-*, rate-limited, operation-not-served, service-failed, service-refused, not-authorized,
 * auth-code-refused, client-limit-exceeded, auth-code-limit-exceeded; each tells by `maybeSent` whether the request may have had an effect
 */
export function judgeAnswer<Name extends OperationName>(exchange: JudgedExchange<Name>): OperationResponse<Name> {
  const fault = judgeStatus(exchange);
  if (fault !== undefined) throw fault;
  const { name, answer, secrets } = exchange;
  return fromWire(judgeBody({ name, body: parseBody(name, answer), secrets })) as OperationResponse<Name>;
}

type Body = Readonly<Record<string, unknown>>;

/** A parsed body, or a part of one: some of its fields, and of a list some items. */
export interface JudgedBody {
  readonly name: OperationName;
  readonly body: Body;
  readonly secrets: readonly Secret[];
  /** Where in the whole list the part of it begins; 0 by default. */
  readonly firstIndex?: number;
}

/** The body with every field checked, wire names still. @throws the codes of `judgeAnswer` for what a body can say */
export function judgeBody({ name, body: given, secrets, firstIndex = 0 }: JudgedBody): Body {
  const operation: Operation = operations[name];
  // Some answers give the error as a text alone.
  const body = typeof given.error === 'string' ? { ...given, error: { message: given.error } } : given;
  const result = operation.response.safeParse(body);
  if (operation.judgedBy !== 'caller' && (body.error ?? undefined) !== undefined) {
    throw createRefusalError(name, readRefusal(body.error), secrets);
  }
  if (result.success) return result.data as Body;
  const what = scrub(describeIssue(result.error.issues[0], body, firstIndex), secrets);
  throw createAnswerError('answer-invalid', operation, what);
}

function parseBody(name: OperationName, answer: Answer): Body {
  // A byte order mark is white space to `trim`.
  const text = answer.text.trim();
  const body = parseJson(text);
  if (body === undefined) throw createUnreadableError(name, text, answer.headers['content-encoding']);
  if (isObject(body)) return body;
  throw createAnswerError('answer-invalid', operations[name], `the answer is ${nameKind(body)}, not a JSON object`);
}

function createUnreadableError(name: OperationName, text: string, encoding: string | undefined) {
  const how = encoding === undefined ? '' : ', and it is encoded although that was not asked for';
  if (isCutOff(text)) return createAnswerError('answer-truncated', operations[name], `the answer breaks off${how}`);
  const why = text === '' ? 'the answer is empty' : 'the answer is not JSON';
  return createAnswerError('answer-not-json', operations[name], `${why}${how}`);
}

/** True for the beginning of a JSON object whose end is missing. */
function isCutOff(text: string): boolean {
  const scan = createJsonScan(Number.POSITIVE_INFINITY);
  scan.follow(Buffer.from(text), 0);
  return text.startsWith('{') && !scan.isClosed();
}

/** `clients.0.description: expected string, found number`: never the value itself. */
function describeIssue(issue: z.core.$ZodIssue | undefined, body: Body, firstIndex: number): string {
  const path = issue?.path ?? [];
  const found = path.reduce<unknown>((value, key) => (value as Body | null | undefined)?.[String(key)], body);
  const expected = issue !== undefined && 'expected' in issue ? String(issue.expected) : 'another form';
  const shown = path.map((key, depth) => String(depth === 1 && typeof key === 'number' ? key + firstIndex : key));
  return `${shown.join('.')}: expected ${expected}, found ${nameKind(found)}`;
}

function nameKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'array' : typeof value;
}

const isObject = (value: unknown): value is Body => nameKind(value) === 'object';

function readRefusal(error: unknown): RefusalFields {
  const fields: Body = isObject(error) ? error : {};
  return {
    message: typeof fields.message === 'string' ? fields.message : undefined,
    clientLimitExceeded: fields.client_limit_exceeded === true,
    authCodeLimitExceeded: fields.auth_code_limit_exceeded === true,
  };
}
