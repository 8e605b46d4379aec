import { type ControlClient, createControlClient } from '../control/control-client.ts';
import { createFindKey, type FindKey } from '../control/find-key.ts';
import type { PostOutcome } from '../control/http-exchange.ts';
import { createHttpPost } from '../control/http-post.ts';
import type { StartMessage } from './messages.ts';
import { nameFailure, nameStatus, tokenRefused } from './name-problem.ts';
import type { Problems } from './problems.ts';
import type { Tokens } from './tokens.ts';

/** What a session asks of the platform over HTTP; what goes wrong there is told as a problem. */
export interface SessionControl {
  readonly control: ControlClient;
  readonly findKey: FindKey;
  /** Finds out whether the token is refused. */
  checkToken(): void;
}

export function openControl(of: {
  readonly start: Pick<StartMessage, 'controlUrl' | 'authority'>;
  readonly tokens: Tokens;
  readonly problems: Problems;
  /** Ends what is asked to find out about the token. */
  readonly signal: AbortSignal;
}): SessionControl {
  const { tokens, problems } = of;
  const { controlUrl: url } = of.start;
  const authority = of.start.authority ?? undefined;
  const refuse = (token: string): void => {
    tokens.refuse(token);
    if (tokens.current() === undefined) problems.set('token', tokenRefused);
  };
  const onOutcome = (outcome: PostOutcome, token: string): void => {
    if (outcome.kind === 'failed') problems.set('control', nameFailure(outcome.error, url));
    else if (outcome.status === 401) refuse(token);
    else problems.set('control', nameStatus(outcome.status, url));
  };
  const post = createHttpPost({
    url,
    token: tokens.current,
    authority,
    onOutcome,
  });
  return {
    control: createControlClient(post),
    findKey: createFindKey({ controlUrl: url, authority }),
    // A request without frames asks for nothing, and is refused where the token is.
    checkToken: () => void post(JSON.stringify({ pack: '' }), of.signal),
  };
}
