import { randomBytes } from 'node:crypto';
import { loadReport } from '../contract/account.ts';
import { loadSecrets, type ProvideWish } from '../contract/secrets.ts';
import { createReportQueue } from '../control/report-queue.ts';
import { createEngine } from '../provider/engine.ts';
import { runProvider } from '../provider/run-provider.ts';
import type { Line } from '../provider/run-provider-options.ts';
import { createClosedPart } from '../sealed/closed-part.ts';
import { createSealedPart } from '../sealed/sealed-part.ts';
import type { Sighting } from '../socket/sighting.ts';
import { createWireMeter } from '../socket/wire-meter.ts';
import { createIdSource, fromUuid, toUuid } from '../wire/id.ts';
import { readCounters } from './counters.ts';
import { createIdentityPublisher } from './identity-publisher.ts';
import { createKeeper } from './keeper.ts';
import type { FromEngine, StateMessage } from './messages.ts';
import { nameFailure, nameStatus, tokenRefused } from './name-problem.ts';
import { openControl } from './open-control.ts';
import { readClock, toPast, toPool } from './past.ts';
import { createProblems } from './problems.ts';
import { createPublisher } from './publisher.ts';
import { writeMessage } from './read-messages.ts';
import type { SessionOptions } from './session-options.ts';
import { createTeller } from './teller.ts';
import { createTokens } from './tokens.ts';

/** A provider from its start to its end, as the agent's messages steer it. */
export interface Session {
  renew(token: string): void;
  want(wish: ProvideWish): void;
  /** The way to the platform may be another one. */
  noteNetwork(): void;
  kept(number: number): void;
  /** Asked again, `final` may still become true. */
  stop(as: { readonly final: boolean }): void;
  /** Runs until `stop`, or until the device is gone; the last message was written then. */
  run(): Promise<void>;
}

/** What was counted since the last time is lost where the power fails. */
const keepEvery = 60_000;
/** Who came since then is known to nobody after a crash, until he sends again. */
const keepNewcomersEvery = 5000;
const tellEvery = 1000;
/** After the last reports, for taking back what was published, and for the last books. */
const lastWords = 2000;

export function createSession(options: SessionOptions): Session {
  const { start, device } = options;
  const say = (message: FromEngine): void => options.write(writeMessage(message));
  const ownId = fromUuid(start.ownId);
  const secrets = loadSecrets(start.secrets);
  const tokens = createTokens(start.token);
  const problems = createProblems({ tell: say, onChange: () => teller.tellSoon() });
  const authority = start.authority ?? undefined;
  const meter = createWireMeter();
  const stopping = new AbortController();
  let wish = start.wish;
  let isFinal = false;
  let networks = 0;
  let clockRate: number | null = null;
  let line: { readonly url: string; readonly since: number } | undefined;

  const signal = stopping.signal;
  const { control, findKey, checkToken } = openControl({ start, tokens, problems, signal });
  const identity = start.identity ?? undefined;
  const isRequired = start.isSealingRequired;
  const keys = createIdentityPublisher({ identity, control, random: options.random });

  const ids = createIdSource({
    randomBytes,
    largest: start.largestId === null ? undefined : fromUuid(start.largestId),
  });
  const reports = createReportQueue();
  reports.add((start.books?.waiting ?? []).map(loadReport));
  const engine = createEngine({
    ownId,
    secrets,
    wish,
    ids,
    wallMs: Date.now,
    pool: toPool(start.pool),
    mostUnpaidBytes: start.mostUnpaidBytes,
    sealedPart: identity
      ? createSealedPart(identity, randomBytes, { isRequired })
      : createClosedPart(),
    books: start.books === null ? undefined : toPast(start.books, readClock()),
  });

  const keeper = createKeeper({
    write: options.write,
    beside() {
      const largest = ids.largest();
      return {
        largestId: largest === undefined ? null : toUuid(largest),
        published: publisher.published(),
      };
    },
  });
  const keep = (signal: AbortSignal): Promise<void> =>
    keeper.keep({ ...engine.save(), waiting: reports.save() }, signal);
  const keepSoon = (): void => void keep(stopping.signal).catch(() => undefined);
  let keptBytes = 0;
  const keepChanged = (): void => {
    const { upBytes, downBytes } = engine.counters();
    if (upBytes + downBytes !== keptBytes) keepSoon();
    keptBytes = upBytes + downBytes;
  };
  let keptChanges = 0;
  const keepNewcomers = (): void => {
    if (keeper.isWaiting() || engine.changes() === keptChanges) return;
    keptChanges = engine.changes();
    keepSoon();
  };
  const publisher = createPublisher({
    ownId,
    secrets,
    control,
    wish: () => wish,
    published: start.published,
    random: options.random,
    onPublished() {
      if (line !== undefined) onSeen({ kind: 'changed' });
      keepSoon();
      teller.tellSoon();
    },
  });

  const onSeen = (sighting: Sighting): void =>
    say({ type: 'seen', sighting, isPublished: publisher.isPublished() });
  const onLine = ({ url, end }: Line): void => {
    teller.tellSoon();
    if (url === undefined) line = undefined;
    else if (line?.url !== url || end === undefined) line = { url, since: Date.now() };
    if (end === undefined) problems.set('socket', undefined);
    else if (end.kind === 'failed')
      problems.set('socket', nameFailure(end.error, start.urls.join(', ')));
    else if (end.kind === 'refused') {
      const problem = nameStatus(end.status, start.urls.join(', '));
      problems.set('socket', problem);
      if (problem === tokenRefused) checkToken();
    }
  };

  const readState = (): StateMessage => ({
    type: 'state',
    isConnected: line !== undefined,
    connectedSince: line?.since ?? null,
    url: line?.url ?? null,
    clockRate,
    isPublished: publisher.isPublished(),
    problem: problems.current(),
    counters: readCounters({ engine, reports, device, meter }),
  });
  const teller = createTeller({
    read: readState,
    write: options.write,
    isHeard: options.isHeard,
    now: readClock,
  });
  const look = (): void => {
    if (device.state().hasEnded) {
      const message = `the device ${start.device} is gone`;
      problems.set('device', { code: 'device-unavailable', message });
      stopping.abort();
    }
    teller.tell();
  };

  const provide = async (): Promise<void> => {
    await Promise.all([publisher.first, keys.first]);
    if (stopping.signal.aborted) return;
    await runProvider(
      {
        ownId,
        engine,
        urls: start.urls,
        control,
        findKey,
        device,
        token: tokens.current,
        networks: () => networks,
        authority,
        instanceId: start.instanceId,
        appVersion: start.appVersion,
        now: readClock,
        random: options.random,
        keep: keeper.keep,
        reports,
        onLine,
        onClockRate(rate) {
          clockRate = rate;
          teller.tellSoon();
        },
        onSeen,
        meter,
        onTokenSuspect: checkToken,
      },
      stopping.signal,
    );
  };

  const end = async (): Promise<void> => {
    if (isFinal) await publisher.withdraw(AbortSignal.timeout(lastWords));
    await keep(AbortSignal.timeout(lastWords)).catch(() => undefined);
    teller.tell();
    say({ type: 'ended', reportsLeft: reports.waiting() });
  };

  return {
    renew(token) {
      tokens.renew(token);
      if (tokens.current() !== undefined) problems.set('token', undefined);
      publisher.wake();
      keys.wake();
    },
    want(next) {
      wish = next;
      engine.setWish(next);
      publisher.wake();
      teller.tellSoon();
    },
    noteNetwork() {
      networks += 1;
    },
    kept: keeper.kept,
    stop({ final }) {
      isFinal ||= final;
      stopping.abort();
    },
    async run() {
      say({ type: 'opened' });
      const looking = setInterval(look, tellEvery);
      const keeping = setInterval(keepChanged, keepEvery);
      const greeting = setInterval(keepNewcomers, keepNewcomersEvery);
      look();
      await Promise.all([publisher.run(signal), keys.run(signal), provide()]);
      clearInterval(looking);
      clearInterval(keeping);
      clearInterval(greeting);
      await end();
    },
  };
}
