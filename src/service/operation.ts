import type * as z from 'zod';

/** One operation of the service as data; client, reference service and commands are driven by these rows. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL. */
  readonly path: `/${string}`;
  /** The token that the interface shows for it. */
  readonly authentication: 'none' | 'network-jwt' | 'guest-jwt';
  /** `always`: may be repeated after any failure. `unsent`: only when it surely never reached the service. */
  readonly repeat: 'always' | 'unsent';
  /** undefined: no body is sent. */
  readonly request: z.ZodType | undefined;
  readonly response: z.ZodType;
  /** `caller`: an answer may hold a result and an `error`, so the caller judges the error itself. */
  readonly judgedBy: 'client' | 'caller';
}
