import type * as z from 'zod';
import { describeIssue } from '../lib/describe-issue.ts';
import { Secret } from '../lib/secret.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import type { Operation } from './operation.ts';
import { type OperationName, type OperationRequest, operations } from './operations.ts';
import type { Exchange } from './transport.ts';
import { joinOperationPath } from './url.ts';
import { toWire } from './wire-case.ts';

export interface PreparedExchange extends Exchange {
  readonly secrets: readonly Secret[];
}

export interface CallParts<Name extends OperationName> {
  readonly base: URL;
  /** The largest answer that is accepted, in bytes. */
  readonly bodyLimitBytes: number;
  readonly name: Name;
  readonly request: OperationRequest<Name>;
  readonly token: Secret | undefined;
}

/** Turns a call into a request. @throws signed-out, not-authorized, usage-invalid */
export function prepareExchange<Name extends OperationName>(
  parts: CallParts<Name>,
): PreparedExchange {
  if (!Object.hasOwn(operations, parts.name)) {
    const options = { maybeSent: false };
    throw new ServiceError(
      'usage-invalid',
      `the interface has no operation ${parts.name}`,
      options,
    );
  }
  const operation: Operation = operations[parts.name];
  const body =
    operation.request === undefined
      ? undefined
      : createBody(parts.name, operation.request, parts.request);
  const authorization =
    operation.authentication === 'none' ? undefined : createAuthorization(operation, parts.token);
  return {
    method: operation.method,
    path: joinOperationPath(parts.base, operation.path),
    headers: {
      accept: 'application/json',
      'user-agent': 'tributary',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(authorization === undefined ? {} : { authorization }),
    },
    body,
    bodyLimitBytes: parts.bodyLimitBytes,
    secrets: secretsIn([parts.token, parts.request]),
  };
}

/** The Authorization header. @throws signed-out, not-authorized */
export function createAuthorization(asked: Asked, token: Secret | undefined): string {
  if (token === undefined)
    throw createUnsentError('signed-out', asked, 'needs a network JWT, and none was given');
  if (/^[\x21-\x7e]+$/.test(token.reveal())) return `Bearer ${token.reveal()}`;
  throw createUnsentError(
    'not-authorized',
    asked,
    'the stored token holds characters that no token has',
  );
}

/** The body as JSON. @throws usage-invalid */
function createBody(name: OperationName, schema: z.ZodType, request: unknown): string {
  const result = schema.safeParse(toWire(request));
  if (result.success) return JSON.stringify(result.data);
  const issue = result.error.issues[0];
  throw createUnsentError(
    'usage-invalid',
    operations[name],
    `${issue?.path.join('.')}: ${describeIssue(issue)}`,
  );
}

type Asked = { readonly path: string };

function createUnsentError(code: ServiceErrorCode, { path }: Asked, why: string): ServiceError {
  return new ServiceError(code, `${path}: ${why}`, { maybeSent: false });
}

function secretsIn(value: unknown): readonly Secret[] {
  if (value instanceof Secret) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : [];
}
