/** How long a command waits for the service, in ms. */
export interface Patience {
  /** The most tries of one call. */
  readonly tries: number;
  readonly fetchLimits: Readonly<Record<'connectMs' | 'headersMs' | 'bodyMs' | 'callMs', number>>;
}

/** A person waits for the end: two tries of a service that is silent are over in half a minute. */
export const personWaits: Patience = {
  tries: 2,
  fetchLimits: { connectMs: 10_000, headersMs: 13_000, bodyMs: 13_000, callMs: 29_000 },
};
