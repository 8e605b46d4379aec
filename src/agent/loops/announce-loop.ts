import { hasCode, TributaryError } from '../../lib/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import { decideSend, type SendState } from '../../provide/send.ts';
import type { ServiceClient } from '../../service/client.ts';
import { type Profile, type ProvideMode, toProvideMode } from '../../service/profiles.ts';
import type { Board } from '../state.ts';

export interface AnnounceLoopParts {
  readonly board: Board;
  readonly client: ServiceClient;
  readonly profile: Profile;
  readonly token: () => Secret | undefined;
  /** Keeps what the service confirmed across restarts. @throws state-unwritable */
  readonly rememberConfirmed: (mode: ProvideMode) => Promise<void>;
}

/** A service that cannot set the mode is asked again this seldom: it may learn to. */
const refusedForMs = 6 * 3_600_000;
const failedForMs = 60_000;
const idleMs = 60_000;

/** One round tells the service the mode when it differs from what it last confirmed; the wait until the next in ms. */
export function createAnnounceRound(parts: AnnounceLoopParts): (signal: AbortSignal) => Promise<number> {
  const { board } = parts;
  let lastSent: SendState['lastSent'];
  let refusedUntilMs: number | undefined;
  return async (signal) => {
    const token = parts.token();
    const { registration, wanted } = board;
    if (registration === undefined || wanted === undefined || token === undefined) return idleMs;
    const nowMs = performance.now();
    const confirmed = board.confirmedMode;
    const decision = decideSend({ wanted: wanted.mode, confirmed, lastSent, refusedUntilMs, nowMs });
    if (decision.kind !== 'send') return decision.kind === 'wait' ? decision.waitMs : idleMs;
    if (board.config.service.profile === undefined && registration.showsProduction) {
      board.setProblem('confirmation', toUnclear());
      return idleMs;
    }
    lastSent = { mode: decision.mode, atMs: nowMs };
    const failure = await announce(parts, { clientId: registration.clientId, mode: decision.mode, token }, signal);
    board.setProblem('confirmation', failure);
    if (failure !== undefined) refusedUntilMs = performance.now() + toPauseMs(failure);
    return failure === undefined ? idleMs : failedForMs;
  };
}

/** In the wrong dialect the number of `friends` is that of `public`: what is not sure is not sent. */
function toUnclear(): TributaryError {
  const message =
    'the service answers as one of the production profile does, and the configuration names none: the mode is not sent';
  return new TributaryError('profile-unclear', message);
}

interface Announcement {
  readonly clientId: string;
  readonly mode: ProvideMode;
  readonly token: Secret;
}

/** Sends the mode and keeps what came back; a failure is returned, because enforcement here goes on all the same. */
async function announce(
  parts: AnnounceLoopParts,
  announcement: Announcement,
  signal: AbortSignal,
): Promise<TributaryError | undefined> {
  try {
    const confirmed = await send(parts, announcement, signal);
    parts.board.confirmedMode = confirmed;
    if (confirmed !== undefined) await parts.rememberConfirmed(confirmed);
    return undefined;
  } catch (error) {
    if (error instanceof TributaryError) return error;
    throw error;
  }
}

function toPauseMs(failure: TributaryError): number {
  const askedMs = (failure.retryAfterSeconds ?? 0) * 1000;
  return hasCode(failure, 'operation-not-served', 'service-refused') ? refusedForMs : Math.max(failedForMs, askedMs);
}

/** The mode as the service says it now is: its echo, else what its list of clients shows. */
async function send(
  { client, profile }: AnnounceLoopParts,
  { clientId, mode, token }: Announcement,
  signal: AbortSignal,
): Promise<ProvideMode | undefined> {
  const options = { token, signal };
  const answer = await client.call('setProvide', { clientId, provideMode: profile.modeNumbers[mode] }, options);
  const echoed = toProvideMode(profile, answer.provideMode);
  if (echoed !== undefined && echoed !== mode) return echoed;
  const { clients } = await client.call('clients', undefined, options);
  const row = clients.find((candidate) => candidate.clientId === clientId);
  return toProvideMode(profile, row?.provideMode) ?? echoed;
}
