import type { OperationName, operations, WireRequest, WireResponse } from '../service/operations.ts';
import type { ProxyEndpoint } from './issued-proxy.ts';
import type { Pages } from './json-response.ts';
import type { Network } from './networks.ts';
import type { Presence } from './presence.ts';
import type { ServedProfile } from './profile.ts';
import type { Repositories } from './repositories.ts';

/** What the handlers work with. */
export interface Backend extends Repositories {
  readonly profile: ServedProfile;
  readonly proxyEndpoint: ProxyEndpoint;
  readonly presence: Presence;
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

/** One request, as far as it was judged before the handler sees it. */
export interface Call<Name extends OperationName> {
  readonly request: WireRequest<Name>;
  /** Whose token came along; where the operation takes none it may be undefined. */
  readonly network: (typeof operations)[Name]['authentication'] extends 'none' ? Network | undefined : Network;
}

/**
 * Answers one operation whose request was judged and whose caller was authenticated. What it throws with usage-invalid is
 * answered as an `error` object.
 */
type Handler<Name extends OperationName> = (
  backend: Backend,
  call: Call<Name>,
) => HandlerAnswer<Name> | Promise<HandlerAnswer<Name>>;

/** What goes over the wire, but a list at its top may still be in pages. */
type HandlerAnswer<Name extends OperationName> = InPages<WireResponse<Name>>;

type InPages<Answer> = {
  [Field in keyof Answer]:
    | Answer[Field]
    | (NonNullable<Answer[Field]> extends readonly (infer Item)[] ? Pages<Item> : never);
};

/** One per operation: a row added to the operations table does not compile until it is served here. */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };
