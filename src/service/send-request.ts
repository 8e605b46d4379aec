import type { Secret } from '../lib/secret.ts';
import { ServiceError } from './errors.ts';
import { judgeStatus } from './judge-status.ts';
import { createAuthorization } from './prepare.ts';
import { createTransport, type TransportLimits } from './transport.ts';
import { joinOperationPath, parseServiceUrl, type ServiceAddress } from './url.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

/** A request as it is typed, which need not be in the table of operations. */
export interface TypedRequest {
  readonly method: Method;
  /** Below the base URL, with a query if there is one. */
  readonly path: `/${string}`;
  readonly body: unknown;
  readonly token: Secret | undefined;
}

const usualLimits = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000 };
const bodyLimitBytes = 16 * 1024 ** 2;

/**
 * Sends one request to the service once, and returns what its answer holds. The token goes to the
 * service's own host and below its base path alone: no redirect is followed.
 * @throws usage-invalid for a path that could lead elsewhere; not-authorized for a malformed
 * token; insecure-url, configuration-invalid, service-unreachable, answer-*, codes of `judgeStatus`
 */
export async function sendRequest(
  address: ServiceAddress & { readonly fetchLimits?: TransportLimits },
  { method, path, body, token }: TypedRequest,
  signal: AbortSignal,
): Promise<unknown> {
  checkPath(path);
  const base = parseServiceUrl(address);
  await using transport = createTransport(base.origin, address.fetchLimits ?? usualLimits, address);
  const asked = { method, path };
  const answer = await transport.exchange(
    {
      method,
      path: joinOperationPath(base, path),
      headers: {
        accept: 'application/json',
        'user-agent': 'tributary',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: createAuthorization(asked, token) }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      bodyLimitBytes,
    },
    signal,
  );
  const secrets = token === undefined ? [] : [token];
  const fault = judgeStatus({ name: asked, answer, secrets, nowMs: Date.now() });
  if (fault !== undefined) throw fault;
  const text = answer.text.trim();
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = `${method} ${path}: the answer is not JSON`;
    throw new ServiceError('answer-not-json', message, { cause: error, maybeSent: true });
  }
}

/**
 * Refuses what is no path below the base URL: `//host/…` and `/../…` may be read as another place.
 * @throws usage-invalid
 */
function checkPath(path: string): void {
  const [place = ''] = path.split('?');
  const steps = place
    .split('/')
    .map((step) => step.replace(/%2e/gi, '.').replace(/%(2f|5c)/gi, '/'));
  const isPath =
    /^\/(?!\/)[\x21-\x7e]*$/.test(path) &&
    !/[#\\]/.test(path) &&
    steps.every((step) => step !== '.' && step !== '..' && !step.includes('/'));
  if (isPath) return;
  const message = `${path}: it must be a path below the service's address, such as /network/clients`;
  throw new ServiceError('usage-invalid', message, { maybeSent: false });
}
