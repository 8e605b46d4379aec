import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { messageOf } from '../lib/errors.ts';
import { once } from '../lib/once.ts';
import { createOpenApiDocument } from '../service/openapi.ts';
import type { Operation } from '../service/operation.ts';
import { type OperationName, operations } from '../service/operations.ts';
import { accountHandlers } from './answer-account.ts';
import { clientHandlers } from './answer-clients.ts';
import { answerControl } from './answer-control.ts';
import { deviceHandlers } from './answer-device.ts';
import { discoveryHandlers } from './answer-discovery.ts';
import { answerKey } from './answer-key.ts';
import { networkHandlers } from './answer-network.ts';
import { providerStatisticsHandlers } from './answer-provider-statistics.ts';
import { signInHandlers } from './answer-sign-in.ts';
import type { Backend, Call, Handlers } from './backend.ts';
import { identifyHolder, type TokenHolder } from './callers.ts';
import { hasCode } from './errors.ts';
import { createResponder } from './json-response.ts';
import { readJson } from './listener.ts';
import manifest from './package.json' with { type: 'json' };
import { BadBody, parseBody, refuse } from './refusal.ts';
import { notAuthorized, respondWithText } from './text-response.ts';

const bodyLimitBytes = 1024 ** 2;

/** The interface over HTTP, one route for each row of the operations table. */
export function createApplication(backend: Backend) {
  const application = new Hono<{ Bindings: HttpBindings }>();
  const { profile, warn } = backend;
  const { notServed } = profile;
  const served = { ...backend, respond: createResponder(profile) };
  const names = (Object.keys(operations) as OperationName[]).filter(
    (name) => !notServed.includes(name),
  );
  for (const name of names) {
    const { method, path } = operations[name];
    application.on(method, path, ({ env }) => serve(served, name, env.incoming));
  }
  // This comes after all rows were read, because two operations may share a path.
  for (const [path, sharing] of Map.groupBy(names, (name) => operations[name].path)) {
    const allow = sharing.map((name) => operations[name].method).join(', ');
    application.all(path, () => respondWithText(405, 'Method Not Allowed', { allow }));
  }
  application.post('/connect/control', ({ env }) => answerControl(backend, env.incoming));
  application.get('/key/:clientId', ({ req }) => answerKey(backend, req.param('clientId')));
  const describe = once(async () =>
    JSON.stringify(createOpenApiDocument({ version: manifest.version, profile, notServed })),
  );
  const headers = { 'content-type': 'application/json' };
  application.get('/openapi.json', async () => new Response(await describe(), { headers }));
  application.all('/openapi.json', () =>
    respondWithText(405, 'Method Not Allowed', { allow: 'GET' }),
  );
  application.notFound(() => respondWithText(404, '404 page not found'));
  application.onError((error) => {
    warn(`answering a request: ${messageOf(error)}`);
    return respondWithText(500, 'Error.');
  });
  return application;
}

async function serve<Name extends OperationName>(
  backend: Backend & { readonly respond: ReturnType<typeof createResponder> },
  name: Name,
  incoming: IncomingMessage,
): Promise<Response> {
  const { profile, respond, warn } = backend;
  const { authentication, path, request }: Operation = operations[name];
  const { network, clientId: ownClientId } = await identify(
    backend,
    operations[name],
    incoming.headers.authorization,
  );
  if (authentication !== 'none' && network === undefined) return notAuthorized();
  // 401 would make the caller drop its token, which is valid for other operations.
  if (ownClientId !== undefined && authentication !== 'any-jwt')
    return respondWithText(403, "This needs a network's token.");
  const onError = (error: unknown) => warn(`answering ${path}: ${messageOf(error)}`);
  try {
    const body =
      request &&
      parseBody(request, await readJson(incoming, bodyLimitBytes, profile.emptyBody), 'The body');
    // The row decides whether there is a network and what the request is, which the compiler cannot
    // follow for an unknown name.
    const call = { request: body, network, ownClientId } as Call<Name>;
    const meant = body as { readonly client_id?: string } | undefined;
    if (ownClientId !== undefined && meant !== undefined && meant.client_id !== ownClientId) {
      throw refuse('The token of a client is for that client alone.');
    }
    return respond(await handlers[name](backend, call), onError);
  } catch (error) {
    if (!hasCode(error, 'usage-invalid')) throw error;
    const { message } = error;
    if (error instanceof BadBody && profile.badBody === 'text')
      return respondWithText(error.status, message);
    // What cannot be done is answered by 200 with an `error` (service-interface, "Errors").
    return Response.json({ error: { message } });
  }
}

/** The holder of the token, if this operation takes one. */
async function identify(
  backend: Backend,
  { authentication }: Operation,
  authorization: string | undefined,
): Promise<Partial<TokenHolder>> {
  const holder = await identifyHolder(backend, authorization);
  if (holder?.clientId !== undefined && authentication === 'none') return {};
  return holder ?? {};
}

export const handlers: Handlers = {
  ...accountHandlers,
  ...signInHandlers,
  ...clientHandlers,
  ...deviceHandlers,
  ...networkHandlers,
  ...discoveryHandlers,
  ...providerStatisticsHandlers,
};
