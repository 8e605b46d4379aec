import type * as z from 'zod';
import { codeLoginRequest, codeLoginResponse } from './schemas/auth.ts';
import { setProvideRequest, setProvideResponse } from './schemas/device.ts';
import { authClientRequest, authClientResponse, clientsResponse } from './schemas/network.ts';
import {
  providerLastNRequest,
  providerStatsResponse,
  providersLastNRequest,
  providersResponse,
} from './schemas/stats.ts';
import type { Camelized, Sendable } from './wire-case.ts';

/** One operation of the service as data; client, reference service and commands are driven by these rows. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL. */
  readonly path: `/${string}`;
  /** The token that the interface shows for it. */
  readonly authentication: 'none' | 'network-jwt';
  /** `always`: may be repeated after any failure. `unsent`: only when it surely never reached the service. */
  readonly repeat: 'always' | 'unsent';
  /** undefined: no body is sent. */
  readonly request: z.ZodType | undefined;
  readonly response: z.ZodType;
  /** `caller`: an answer may hold a result and an `error`, so the caller judges the error itself. */
  readonly judgedBy: 'client' | 'caller';
}

/** Every operation spoken so far (service-interface, "Endpoints"). A new row does not compile until it is served. */
export const operations = {
  authClient: {
    method: 'POST',
    path: '/network/auth-client',
    authentication: 'network-jwt',
    repeat: 'unsent',
    request: authClientRequest,
    response: authClientResponse,
    judgedBy: 'caller',
  },
  clients: {
    method: 'GET',
    path: '/network/clients',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: clientsResponse,
    judgedBy: 'client',
  },
  codeLogin: {
    method: 'POST',
    path: '/auth/code-login',
    authentication: 'none',
    repeat: 'unsent',
    request: codeLoginRequest,
    response: codeLoginResponse,
    judgedBy: 'client',
  },
  setProvide: {
    method: 'POST',
    path: '/device/set-provide',
    authentication: 'network-jwt',
    repeat: 'always',
    request: setProvideRequest,
    response: setProvideResponse,
    judgedBy: 'client',
  },
  providers: {
    method: 'GET',
    path: '/stats/providers',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: providersResponse,
    judgedBy: 'client',
  },
  providersLastN: {
    method: 'POST',
    path: '/stats/providers-last-n',
    authentication: 'network-jwt',
    repeat: 'always',
    request: providersLastNRequest,
    response: providersResponse,
    judgedBy: 'client',
  },
  providerLastN: {
    method: 'POST',
    path: '/stats/provider-last-n',
    authentication: 'network-jwt',
    repeat: 'always',
    request: providerLastNRequest,
    response: providerStatsResponse,
    judgedBy: 'client',
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

type RequestSchemaOf<Name extends OperationName> = (typeof operations)[Name]['request'];

/** A request as the wire has it (snake_case). */
export type WireRequest<Name extends OperationName> =
  RequestSchemaOf<Name> extends z.ZodType ? z.output<RequestSchemaOf<Name>> : undefined;
/** An answer as the wire has it (snake_case, every field may be null or absent). */
export type WireResponse<Name extends OperationName> = z.input<(typeof operations)[Name]['response']>;
/** A request as callers give it (camelCase). */
export type OperationRequest<Name extends OperationName> =
  RequestSchemaOf<Name> extends z.ZodType ? Sendable<z.input<RequestSchemaOf<Name>>> : undefined;
/** An answer as callers get it (camelCase, null is undefined, lists are never absent). */
export type OperationResponse<Name extends OperationName> = Camelized<z.output<(typeof operations)[Name]['response']>>;
