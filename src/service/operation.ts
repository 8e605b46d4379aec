import type * as z from 'zod';

/**
 * One operation of the service as data. Client, reference service and OpenAPI document are all made
 * from these rows.
 */
export interface Operation {
  readonly summary: string;
  /** True for an operation that the documented interface does not have. */
  readonly isOutside?: true;
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL. */
  readonly path: `/${string}`;
  /**
   * The token that the interface asks for. `any-jwt`: a network's token, or a client's token for
   * this client alone.
   */
  readonly authentication: 'none' | 'any-jwt' | 'network-jwt' | 'guest-jwt';
  /** True where no token is needed but a network's is accepted. */
  readonly takesNetworkJwt?: true;
  /**
   * `always`: may be repeated after any failure. `unsent`: only when it surely never reached the
   * service.
   */
  readonly repeat: 'always' | 'unsent';
  /** The fields of the body; undefined for an operation without a body. */
  readonly request: z.ZodType | undefined;
  readonly response: z.ZodType;
  /** The wire's name of the answer's only list, which the client can stream. */
  readonly list?: string;
  /**
   * Fields at the top of the answer without which it is as good as with them. Every other one there
   * is needed: if it has another form, the answer is refused.
   */
  readonly spare?: readonly string[];
  /**
   * `caller`: the answer may hold both a result and an `error`, so the caller judges the error
   * instead of the client.
   */
  readonly judgedBy?: 'caller';
}

/** Most operations take the network's token. This is one that only reads and sends no body. */
export const reading = {
  method: 'GET',
  authentication: 'network-jwt',
  repeat: 'always',
  request: undefined,
} as const;
/** An operation with a body that may be repeated. */
export const asking = { method: 'POST', authentication: 'network-jwt', repeat: 'always' } as const;
/** An operation with a body that makes something, and would make it twice if it were repeated. */
export const making = { method: 'POST', authentication: 'network-jwt', repeat: 'unsent' } as const;
