import * as z from 'zod';
import { TributaryError } from '../../../errors/codes.ts';
import { findNearest } from '../../../lib/edit-distance.ts';
import { whyUnreadable } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import type { Operation } from '../../../service/operation.ts';
import {
  type OperationName,
  type OperationRequest,
  operations,
} from '../../../service/operations.ts';
import { methods, type TypedRequest } from '../../../service/send-request.ts';
import { toWire } from '../../../service/wire-case.ts';
import { readSmallFile } from '../../../system/small-file.ts';
import { refuse } from '../../frame/command.ts';
import type { CommandContext } from '../../frame/context.ts';
import type { Session } from '../../frame/session.ts';

const limitBytes = 1024 ** 2;
const names = Object.keys(operations) as OperationName[];

export function listOperations() {
  return names.map((name) => {
    const { method, path, summary } = operations[name];
    return { name, method, path, summary };
  });
}

interface Typed {
  /** The name of an operation, or a path, with or without a method before it. */
  readonly words: readonly string[];
  /** Each is `key=value`. */
  readonly fields: readonly string[];
  readonly input?: string;
}

/**
 * Calls an operation, or sends what was typed, and returns the answer with the wire's names,
 * secrets included, because they were asked for.
 * @throws usage-invalid, codes of `Session.call` and `Session.send`
 */
export async function callOperation(
  session: Session,
  typed: Typed,
  context: CommandContext,
): Promise<unknown> {
  const place = readPlace(typed);
  if (place !== undefined) {
    const { method, path } = place;
    const sent = await readRequest(typed, context);
    const answer =
      method === 'GET'
        ? await session.send({ method, path: withQuery(path, sent), body: undefined })
        : await session.send({ method, path, body: sent ?? {} });
    throwRefusal(`${method} ${path}`, answer);
    return answer;
  }
  const name = findOperation(typed.words[0] ?? '');
  const { request: schema }: Operation = operations[name];
  const request = await readRequest(typed, context);
  if (schema === undefined && request !== undefined) throw refuse(`${name} takes no fields`);
  const known = schema?.safeParse(toWire(request));
  if (known?.success) checkKnown(request, known.data);
  const sent = schema === undefined ? undefined : (request ?? {});
  const answer: unknown = toWire(await session.call(name, sent as OperationRequest<typeof name>));
  throwRefusal(name, answer);
  return answer;
}

/**
 * The method and the path that were typed; undefined where the word names an operation whose fields
 * are checked. Without a method it is a GET, or a POST where there are fields.
 * @throws usage-invalid
 */
function readPlace({ words, fields, input }: Typed): Place | undefined {
  const [first = '', second, ...more] = words;
  const method = methods.find((own) => own === first.toUpperCase());
  const path = method === undefined ? first : (second ?? '');
  if (more.length > 0 || (method === undefined && second !== undefined))
    throw refuse(`${words.join(' ')}: name an operation, or a method and a path`);
  if (method === undefined) {
    if (!isPath(path) || pathsOf(path).length === 1) return undefined;
    return { method: fields.length > 0 || input !== undefined ? 'POST' : 'GET', path };
  }
  if (isPath(path)) return { method, path };
  throw refuse(`${first} ${path}: the path must begin with /, as in /network/clients`);
}

type Place = Pick<TypedRequest, 'method' | 'path'>;

const isPath = (text: string): text is `/${string}` => text.startsWith('/');

const pathsOf = (text: string) => names.filter((name) => operations[name].path.endsWith(text));

/** Fields of a GET are its query. @throws usage-invalid */
function withQuery(path: Place['path'], fields: unknown): Place['path'] {
  if (fields === undefined) return path;
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(Object(fields))) {
    if (typeof value === 'object') throw refuse(`${key}: a GET takes plain fields alone`);
    query.append(key, String(value));
  }
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** @throws service-refused for an answer that holds nothing but an error */
function throwRefusal(name: string, answer: unknown): void {
  const { error, ...rest } = withError.safeParse(answer).data ?? {};
  if (error === undefined || error === null || Object.keys(rest).length > 0) return;
  const said = typeof error === 'string' ? error : (error.message ?? 'it gave no reason');
  throw new TributaryError('service-refused', `${name}: ${said}`);
}

/** An answer of auth-client may have other fields beside its error. */
const withError = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.string().optional() })]).nullish(),
});

/**
 * Checks that the interface knows every field that is sent, because an unknown one would be left
 * out silently.
 * @throws usage-invalid
 */
function checkKnown(sent: unknown, known: unknown, path = ''): void {
  const fields = new Map<string, unknown>(Object.entries(known ?? {}));
  for (const [key, value] of Object.entries(toWire(sent) ?? {})) {
    if (value === null || value === undefined) continue;
    if (!fields.has(key)) throw refuse(`the interface knows no field ${path}${key} here`);
    if (typeof value === 'object') checkKnown(value, fields.get(key), `${path}${key}.`);
  }
}

/**
 * The operation with this name, or with a path of which this is the end and no other path's.
 * @throws usage-invalid
 */
function findOperation(text: string): OperationName {
  const [byPath, ...others] = names.filter((name) =>
    operations[name].path.endsWith(`/${text.replace(/^\//, '')}`),
  );
  const plain = text.replaceAll('-', '').toLowerCase();
  const found =
    names.find((name) => name.toLowerCase() === plain) ??
    (others.length === 0 ? byPath : undefined);
  if (found !== undefined) return found;
  const nearest = findNearest(text, names);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw refuse(`unknown operation ${text}${hint}`, {
    action: 'See them all: tributary service call',
  });
}

/** The fields that were typed; undefined without any. @throws usage-invalid */
async function readRequest(
  { fields, input }: Typed,
  { readStandardInput }: CommandContext,
): Promise<unknown> {
  if (input === undefined && fields.length === 0) return undefined;
  const text =
    input === '-'
      ? await readStandardInput(limitBytes)
      : input === undefined
        ? '{}'
        : await readFile(input);
  let request = parseJson(text);
  if (typeof request !== 'object' || request === null)
    throw refuse(`--input ${input}: it is not a JSON object`);
  for (const one of fields) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
    if (key === '') throw refuse(`--field ${one}: it must be key=value`);
    request = withField(request, key.replaceAll('[]', '.').split('.'), await readValue(value));
  }
  return request;
}

async function readValue(text: string): Promise<unknown> {
  if (text.startsWith('@')) return await readFile(text.slice(1));
  return /^(true|false|null|-?\d+(\.\d+)?|".*")$/s.test(text) ? (parseJson(text) ?? text) : text;
}

function readFile(path: string): Promise<string> {
  return readSmallFile(path, limitBytes).catch((error: unknown) => {
    throw refuse(`reading ${path}: ${whyUnreadable(error)}`, { cause: error });
  });
}

/**
 * A copy of `into` with the value at this path; an empty name in the path adds an item to a list.
 */
function withField(into: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (key === '') return [...(Array.isArray(into) ? into : []), withField(undefined, rest, value)];
  const fields = new Map(Object.entries(into ?? {}));
  return Object.fromEntries(fields.set(key, withField(fields.get(key), rest, value)));
}
