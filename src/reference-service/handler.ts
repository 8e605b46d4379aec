import type { OperationName, operations, WireRequest, WireResponse } from '../service/operations.ts';
import type { Clients } from './clients.ts';
import type { Dialect } from './dialect.ts';
import type { ProxyEndpoint } from './issued-proxy.ts';
import type { Network, Networks } from './networks.ts';
import type { Proxies } from './proxies.ts';
import type { Tokens } from './tokens.ts';
import type { UsageBook } from './usage.ts';

/** Answers one operation whose request was judged and whose caller was authenticated. */
export type Handler<Name extends OperationName> = (
  call: Call<Name>,
) => WireResponse<Name> | Promise<WireResponse<Name>>;

/** One per operation: a row added to the operations table does not compile until it is served here. */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };

/** One request, as far as it was judged before the handler sees it. */
export interface Call<Name extends OperationName> {
  readonly request: WireRequest<Name>;
  /** Whose token came along; undefined for operations that take none. */
  readonly network: (typeof operations)[Name]['authentication'] extends 'none' ? undefined : Network;
}

/** What the handlers work with. */
export interface Backend {
  readonly dialect: Dialect;
  readonly networks: Networks;
  readonly clients: Clients;
  readonly proxies: Proxies;
  readonly usage: UsageBook;
  readonly tokens: Tokens;
  readonly proxyEndpoint: ProxyEndpoint;
  readonly keepaliveSeconds: number;
  /** Devices that one network may have. */
  readonly clientLimit: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Brings the WireGuard end in line with the database; done when it is. */
  readonly reconcile: () => Promise<void>;
  /** Brings the usage book up to this moment. */
  readonly sample: () => Promise<void>;
}
