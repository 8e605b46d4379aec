import type { PostControl } from './control-client.ts';
import { createExchange, type PostOutcome } from './http-exchange.ts';

export interface HttpPostOptions {
  readonly url: string;
  /** Read for each request. Without one, nothing is sent. */
  readonly token: () => string | undefined;
  /** Certificates in PEM form that are trusted in place of Node's own. */
  readonly authority?: string | undefined;
  /** Told how each request ended, with the token that it had. */
  readonly onOutcome: (outcome: PostOutcome, token: string) => void;
}

/** `PostControl` over HTTP or HTTPS. */
export function createHttpPost(options: HttpPostOptions): PostControl {
  const { url, authority } = options;
  const exchange = createExchange({ isSecure: url.startsWith('https:'), authority });
  return async (body, signal) => {
    const token = options.token();
    if (token === undefined) return { kind: 'not-sent', message: 'there is no good token' };
    if (signal.aborted) return { kind: 'not-sent', message: 'given up' };
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const { answer, outcome } = await exchange({ method: 'POST', url, headers, body }, signal);
    // What we gave up ourselves says nothing about the service.
    if (!signal.aborted) options.onOutcome(outcome, token);
    return answer;
  };
}
