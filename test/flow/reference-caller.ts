import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  type ReferenceService,
  type ReferenceServiceOptions,
  startReferenceService,
} from '../../src/reference-service/server.ts';
import { checkAnswer } from './described-answers.ts';

/** An answer as it came over the wire; `body` is parsed where it is JSON, else the text. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape, wrong too
  readonly body: any;
}

/**
 * Speaks plain HTTP to a service, as no client of this project would; its answers have to be as
 * they are described.
 */
export async function call(
  baseUrl: string,
  path: string,
  request: {
    readonly token?: string | undefined;
    readonly body?: unknown;
    readonly text?: string;
    readonly method?: string;
  },
): Promise<Answer> {
  const body =
    request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const method = request.method ?? (body === undefined ? 'GET' : 'POST');
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      // A connection that is kept may be closed by the service in the moment in which it is used.
      connection: 'close',
      ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const { status } = response;
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const text = await response.text();
  if (type !== 'application/json') return { status, type, body: text };
  const answer = { status, type, body: JSON.parse(text) };
  checkAnswer({ method, path, ...answer });
  return answer;
}

/** The token of a login with this code. */
export async function logIn(service: ReferenceService, code = service.authCode): Promise<string> {
  const { body } = await call(service.baseUrl, '/auth/code-login', { body: { auth_code: code } });
  return body.by_jwt;
}

/** Another code for a login to the first network. */
export async function createAuthCode(service: ReferenceService): Promise<string> {
  return (await service.admin.createAuthCode({})).authCode;
}

/** The token of the owner of a new network. */
export async function createOwner(service: ReferenceService, networkName: string): Promise<string> {
  return (await service.admin.createNetwork({ networkName })).networkJwt;
}

/** A directory that goes with the test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-reference-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** What a caller asked for and does not get; anything else that a service warns of is a fault. */
const withoutEffect = / asked for [\w, ]+, which has no effect here$/;

/** A service that ends with the test, in a directory of its own where none is given. */
export async function start(
  options: Partial<ReferenceServiceOptions> = {},
): Promise<ReferenceService> {
  const warnings: string[] = [];
  const service = await startReferenceService({
    directory: makeDirectory(),
    warn: (message) => warnings.push(message),
    deliver: () => undefined,
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
    expect(warnings.filter((message) => !withoutEffect.test(message))).toEqual([]);
  });
  return service;
}

/** The claims of a JWT. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

/** A request for a registration with a tunnel. */
export const withTunnel = {
  description: 'shed',
  device_spec: 'pi',
  proxy_config: { enable_wg: true },
};

/** A service that ends with the test, and its callers with the network's token. */
export async function startAndLogIn(options: Partial<ReferenceServiceOptions> = {}) {
  const service = await start(options);
  const token = await logIn(service);
  const post = (path: string, body: unknown) => call(service.baseUrl, path, { token, body });
  const get = (path: string) => call(service.baseUrl, path, { token });
  const register = async (body: unknown = withTunnel) => {
    const answer = (await post('/network/auth-client', body)).body;
    return { answer, clientId: String(claimsOf(answer.by_client_jwt).client_id) };
  };
  return { service, token, post, get, register };
}
