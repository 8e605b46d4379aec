import { hasCode, TributaryError, toFailure } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import type { Secret } from '../../lib/secret.ts';
import { hourMs } from '../../lib/units.ts';
import { isWider } from '../../provide/mode-width.ts';
import { findSendWaitMs, isNarrowing, type SendState } from '../../provide/send.ts';
import { type ProvideMode, toProvideMode } from '../../service/profiles.ts';
import type { ConfirmedMode } from '../kept-choices.ts';
import type { Loop, Wakeups } from '../run-loop.ts';
import type { AgentState, Sections, Shared } from '../state.ts';
import { createWaitingError, isAboutMode, judgeApplied, type Waiting } from './judge-mode.ts';

export interface AnnounceLoopParts
  extends Pick<Shared, 'client' | 'profile' | 'now' | 'random'>,
    Pick<Sections, 'announcement'> {
  readonly state: Pick<AgentState, 'configuration' | 'mode' | 'service'> & {
    readonly overrides: Pick<AgentState['overrides'], 'current'>;
  };
  readonly confirmedMode: ConfirmedMode;
  readonly wakeups: Pick<Wakeups, 'announce' | 'dataPath'>;
}

/**
 * A service that cannot set the mode is asked again this seldom (ms), because it may be able to one
 * day.
 */
const refusedForMs = 6 * hourMs;
const failedForMs = 60_000;
const idleMs = 60_000;
/** What many devices would do at one moment is spread over this time (ms). */
const spreadMs = 300_000;

/**
 * One tick, which tells the service the mode if it differs from the last confirmed one. Resolves
 * with the ms until the next.
 */
export function createAnnounceLoop(parts: AnnounceLoopParts): Loop {
  const { state, announcement, confirmedMode } = parts;
  let lastSent: SendState['lastSent'];
  let lastWidenedAtMs: SendState['lastWidenedAtMs'];
  let refusedUntilMs = 0;
  const chooseTimeMs = createOwnTime(parts);
  const note = (failure: TributaryError | undefined) => {
    announcement.problem = continueProblem(announcement.problem, failure, parts.now());
  };
  const tell = async (announced: Announcement, signal: AbortSignal) => {
    const applied = await send(parts, announced, signal);
    announcement.isServed = true;
    note(judgeApplied(announced.mode, applied));
    // The gateway may wait for a narrower mode, or has to close where a wider one was applied.
    await confirmedMode.note(applied).finally(() => parts.wakeups.dataPath.notify());
  };
  // A failure is a note and nothing else, because the mode is enforced here in any case.
  const noteFailure = (failure: TributaryError) => {
    note(failure);
    if (hasCode(failure, 'operation-not-served')) announcement.isServed = false;
    refusedUntilMs = performance.now() + choosePauseMs(failure, parts.random);
  };
  const noteWait = ({
    waitMs,
    ...modes
  }: Omit<Waiting, 'waitMs'> & { waitMs: number | undefined }) => {
    const { problem } = announcement;
    if (waitMs === undefined && isAboutMode(problem)) announcement.problem = undefined;
    // What failed explains the wait already, and better.
    if (waitMs !== undefined && problem === undefined)
      note(createWaitingError({ ...modes, waitMs }));
  };
  const tick = async (signal: AbortSignal) => {
    const { token, registration } = state.service;
    const desired = state.mode.decision?.mode;
    if (registration === undefined || desired === undefined || token === undefined) return idleMs;
    const nowMs = performance.now();
    const confirmed = confirmedMode.current();
    const notBeforeMs = Math.max(refusedUntilMs, chooseTimeMs(desired, confirmed, nowMs));
    const waitMs = findSendWaitMs({
      desired,
      confirmed,
      lastSent,
      lastWidenedAtMs,
      refusedUntilMs: notBeforeMs,
      nowMs,
    });
    if (waitMs !== 0) {
      noteWait({ desired, confirmed, waitMs });
      return waitMs ?? idleMs;
    }
    if (state.configuration.config.service.profile === undefined && registration.showsProduction) {
      note(createUnclearError());
      announcement.isServed = false;
      return idleMs;
    }
    if (!isNarrowing({ desired, confirmed, lastSent })) lastWidenedAtMs = nowMs;
    lastSent = { mode: desired, atMs: nowMs };
    const announced = { clientId: registration.clientId, mode: desired, token };
    const failure = await tell(announced, signal).catch(toFailure());
    if (!(failure instanceof TributaryError)) return idleMs;
    noteFailure(failure);
    return failedForMs;
  };
  return { name: 'announce', isOnBeat: true, tick, wakeup: parts.wakeups.announce };
}

/**
 * When a mode may be sent. A schedule or a power cut makes many devices send it at one moment, so
 * their times are spread.
 */
function createOwnTime({ state, random }: AnnounceLoopParts) {
  const wasRegistered = state.service.registration !== undefined;
  let chosen: SendState['lastSent'];
  return (mode: ProvideMode, confirmed: ProvideMode | undefined, nowMs: number): number => {
    if (chosen?.mode === mode) return chosen.atMs;
    const isShared = confirmed === undefined ? wasRegistered : state.mode.scheduled === mode;
    // A mode that the owner set by hand must not wait, and neither must a narrower one.
    const isNarrower = mode === 'none' || (confirmed !== undefined && isWider(confirmed, mode));
    const isSpread = isShared && !isNarrower && state.overrides.current() === undefined;
    chosen = { mode, atMs: nowMs + (isSpread ? random() * spreadMs : 0) };
    return chosen.atMs;
  };
}

/**
 * In the wrong profile the number of `friends` means `public`, so a mode is not sent while the
 * profile is uncertain.
 */
function createUnclearError(): TributaryError {
  const message =
    'the service answers as one of the production profile does, and the configuration names none: the mode is not sent';
  return new TributaryError('profile-unclear', message);
}

interface Announcement {
  readonly clientId: string;
  readonly mode: ProvideMode;
  readonly token: Secret;
}

function choosePauseMs(failure: TributaryError, random: () => number): number {
  const { retryAfterSeconds: askedSeconds = 0 } = failure;
  if (hasCode(failure, 'operation-not-served', 'service-refused'))
    return refusedForMs + random() * spreadMs;
  return askedSeconds === 0
    ? failedForMs
    : Math.max(failedForMs, askedSeconds * 1000 + random() * spreadMs);
}

/**
 * Sends the mode. Resolves with the mode that the service now has: from its answer, else from its
 * list of clients.
 */
async function send(
  { client, profile }: AnnounceLoopParts,
  { clientId, mode, token }: Announcement,
  signal: AbortSignal,
): Promise<ProvideMode | undefined> {
  const options = { token, signal };
  const answer = await client.call(
    'setProvide',
    { clientId, provideMode: profile.modeNumbers[mode] },
    options,
  );
  const echoed = toProvideMode(profile, answer.provideMode);
  if (echoed !== undefined && echoed !== mode) return echoed;
  const keep = (row: { readonly clientId?: string | undefined }) => row.clientId === clientId;
  const { clients } = await client.call('clients', undefined, { ...options, keep });
  return toProvideMode(profile, clients[0]?.provideMode) ?? echoed;
}
