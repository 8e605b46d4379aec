import type * as z from 'zod';

/** One operation of the service as data; the client, the reference service and the OpenAPI document work from these rows. */
export interface Operation {
  /** What it does, in one line. */
  readonly summary: string;
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
  /** Field of the answer that is its one list, by its name on the wire: the client can stream it. */
  readonly list?: string;
  /** `caller`: an answer may hold a result and an `error`, so the caller judges the error, not the client. */
  readonly judgedBy?: 'caller';
}
