import { Hono } from 'hono';
import { messageOf } from '../lib/errors.ts';
import { createOpenApiDocument } from '../service/openapi.ts';
import type { Operation } from '../service/operation.ts';
import { type OperationName, operations, type WireRequest } from '../service/operations.ts';
import { version } from '../version.ts';
import { readBody } from './body.ts';
import type { Dialect } from './dialect.ts';
import type { Call, Handlers } from './handler.ts';
import { toJsonResponse } from './json-response.ts';
import type { Network } from './networks.ts';

/** What the HTTP side works with. */
export interface HttpOptions {
  readonly dialect: Dialect;
  readonly handlers: Handlers;
  /** The network of a token; undefined for a token that is worth nothing. */
  readonly authenticate: (token: string) => Promise<Network | undefined>;
  /** Told what should not have happened. */
  readonly warn: (message: string) => void;
}

const bodyLimitBytes = 1024 ** 2;

/** The interface over HTTP, one route for each row of the operations table. */
export function createApplication(options: HttpOptions): Hono {
  const application = new Hono();
  const names = (Object.keys(operations) as OperationName[]).filter(
    (name) => !options.dialect.notServed.includes(name),
  );
  for (const name of names) {
    const { method, path } = operations[name];
    application.on(method, path, (context) => serve(options, name, context.req.raw));
  }
  // After all of them: two operations may share a path.
  for (const name of names) application.all(operations[name].path, () => toText(405, 'Method Not Allowed'));
  const { profile, notServed } = options.dialect;
  application.get('/openapi.json', () => Response.json(createOpenApiDocument({ version, profile, notServed })));
  application.notFound(() => toText(404, '404 page not found'));
  application.onError((error) => {
    options.warn(`answering a request: ${messageOf(error)}`);
    return toText(500, 'Error.');
  });
  return application;
}

async function serve<Name extends OperationName>(
  options: HttpOptions,
  name: Name,
  request: Request,
): Promise<Response> {
  const operation: Operation = operations[name];
  const network = await identify(options, request);
  if (operation.authentication !== 'none' && network === undefined) return toText(401, 'Not authorized.');
  const body = await readRequest(operation, request);
  if ('status' in body) return refuse(options.dialect, body);
  // The row says whether there is a network and what the request is; the compiler cannot follow a name that it has not got.
  const call = { request: body.request as WireRequest<Name>, network } as Call<Name>;
  return toJsonResponse(await options.handlers[name](call), (error) => {
    options.warn(`answering ${operation.path}: ${messageOf(error)}`);
  });
}

async function identify(options: HttpOptions, request: Request): Promise<Network | undefined> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return token === undefined ? undefined : options.authenticate(token);
}

interface Refusal {
  readonly status: 400 | 413;
  readonly message: string;
}

async function readRequest(operation: Operation, request: Request): Promise<{ readonly request: unknown } | Refusal> {
  if (operation.request === undefined) return { request: undefined };
  const text = await readBody(request, bodyLimitBytes);
  if (text === undefined) return { status: 413, message: 'Request Entity Too Large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { status: 400, message: 'The body is not JSON.' };
  }
  const parsed = operation.request.safeParse(value);
  if (parsed.success) return { request: parsed.data };
  const issue = parsed.error.issues[0];
  return { status: 400, message: `${issue?.path.join('.') || 'The body'}: ${issue?.message}` };
}

function refuse(dialect: Dialect, refusal: Refusal): Response {
  return dialect.badBody === 'text'
    ? toText(refusal.status, refusal.message)
    : Response.json({ error: { message: refusal.message } });
}

function toText(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
