import type * as z from 'zod';

/**
 * One operation of the service as data; the client, the reference service and the OpenAPI document
 * work from these rows.
 */
export interface Operation {
  readonly summary: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL. */
  readonly path: `/${string}`;
  /**
   * The token that the interface asks for; `any-jwt`: a network's, or a client's for that client
   * alone.
   */
  readonly authentication: 'none' | 'any-jwt' | 'network-jwt' | 'guest-jwt';
  /** True where none is needed, but a network's is taken. */
  readonly takesNetworkJwt?: true;
  /**
   * `always`: may be repeated after any failure. `unsent`: only when it surely never reached the
   * service.
   */
  readonly repeat: 'always' | 'unsent';
  /** undefined: no body is sent. */
  readonly request: z.ZodType | undefined;
  readonly response: z.ZodType;
  /**
   * Field of the answer that is its one list, by its name on the wire: the client can stream it.
   */
  readonly list?: string;
  /**
   * `caller`: an answer may hold a result and an `error`, so the caller judges the error, not the
   * client.
   */
  readonly judgedBy?: 'caller';
}

/**
 * What most operations have in common: they take the network's token. One that reads, and takes
 * nothing else.
 */
export const reading = {
  method: 'GET',
  authentication: 'network-jwt',
  repeat: 'always',
  request: undefined,
} as const;
/** One that takes a request, and may be repeated. */
export const asking = { method: 'POST', authentication: 'network-jwt', repeat: 'always' } as const;
/** One that makes something of a request, and would make it twice. */
export const making = { method: 'POST', authentication: 'network-jwt', repeat: 'unsent' } as const;
