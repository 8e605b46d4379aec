import type { Books } from '../../../src/connect/contract/account.ts';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import type { ContractAsk } from '../../../src/connect/provider/contract-ask.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import type { Engine } from '../../../src/connect/provider/engine-contract.ts';
import type { CloseContract } from '../../../src/connect/wire/contract-messages.ts';
import { createIdSource, type Id, type IdSource } from '../../../src/connect/wire/id.ts';
import { readPath } from '../../../src/connect/wire/transfer-frame.ts';
import { type App, createApp } from './app.ts';
import { type Bookkeeping, type ControlFate, createBookkeeping } from './bookkeeping.ts';
import { createChance, createLink, type Link, type LinkNature } from './link.ts';
import { chanceBytes } from './pair.ts';
import { createService, type Service } from './service.ts';
import { testPool } from './test-pool.ts';

/** A provider and apps on a strict service, in virtual time that begins at 0 for `each`. */
export interface StrictWorld {
  readonly engine: Engine;
  readonly service: Service;
  readonly providerId: Id;
  addApp(of: {
    readonly isDirect?: boolean;
    readonly steadyPings?: number | undefined;
    readonly onPacket: (packet: Buffer, now: number) => void;
    readonly onLost?: (now: number) => void;
  }): App;
  /** Its owner closes it. */
  leave(app: App): void;
  now(): number;
  /** `each` gives the time at which it wants to be called next. */
  run(ms: number, each: (now: number) => number): void;
  /** The engine is killed, with all that is on its way; another one has what was kept. */
  kill(): void;
  /** When books were written down last, as `now` counts. */
  keptAt(): number;
  /** Of checkpoints that no life knows the answer to, in bytes. */
  doubtfulBytes(): number;
  /** Ids that the engine made, and how many of the ids are not above the one before. */
  idCounts(): { readonly made: number; readonly repeated: number };
  end(): void;
}

export interface StrictWorldOptions {
  readonly nature: LinkNature;
  readonly seed: number;
  readonly mostUnpaidBytes?: number;
  /** How far the provider's wall clock is off, in ms. */
  readonly clockOff?: (now: number) => number;
  /** What the provider gives to its device. */
  /** What becomes of requests over HTTP; all is well by default. */
  readonly fate?: (now: number) => ControlFate;
  readonly onDevice: (packet: Buffer, now: number) => void;
}

const start = 1_700_000_000_000;
/** A request without an answer is given up. */
const longestRequest = 30_000;

export function createStrictWorld(options: StrictWorldOptions): StrictWorld {
  const chance = createChance(options.seed);
  const randomBytes = chanceBytes(chance);
  const ids = createIdSource({ randomBytes });
  const service = createService(ids);
  const providerId = ids.next(start);
  const secrets = completeSecrets(randomBytes);
  service.publish(providerId, secrets);
  let now = start;
  const ownIds = countIds(createIdSource({ randomBytes }));
  const startEngine = (books: Books | undefined): Engine =>
    createEngine({
      ownId: providerId,
      secrets,
      wish: 'public',
      ids: ownIds,
      wallMs: () => now + (options.clockOff?.(now - start) ?? 0),
      mostUnpaidBytes: options.mostUnpaidBytes,
      books,
      pool: testPool,
    });
  const fate = options.fate ?? (() => 'done');
  const report = (one: CloseContract): void => {
    service.report(providerId, one, now);
  };
  const startBookkeeping = (waiting: Books['waiting']): Bookkeeping =>
    createBookkeeping({ report, fate: (at) => fate(at - start), waiting });
  const linkHttp = (): Link<ContractAsk> =>
    createLink({ loss: 0, duplication: 0, delay: 20, jitter: 30 }, chance);
  const linkSocket = (): Link<Buffer> => createLink(options.nature, chance);
  let engine = startEngine(undefined);
  let books = startBookkeeping([]);
  let [up, down, http] = [linkSocket(), linkSocket(), linkHttp()];
  let doubtful = 0;
  const apps = new Map<Id, App>();

  /** An answer that never came is given up in the end. */
  const unanswered = createLink<ContractAsk>(
    { loss: 0, duplication: 0, delay: longestRequest, jitter: 0 },
    chance,
  );
  const answer = (ask: ContractAsk): void => {
    const { destinationId: to, transferByteCount: byteCount, isCompanion } = ask;
    const way = fate(now - start);
    // What was granted and not answered is known to the service alone.
    const granted =
      way === 'lost'
        ? undefined
        : service.grant({ from: providerId, to, byteCount, isCompanion }, now);
    if (way === 'done') engine.answered(ask, granted?.contract, now);
    else unanswered.send(ask, now);
  };
  const takeWhatCame = (): void => {
    for (const bytes of up.arrived(now)) engine.frame(bytes, now);
    for (const ask of http.arrived(now)) answer(ask);
    for (const ask of unanswered.arrived(now)) engine.answered(ask, undefined, now);
  };
  const turnProvider = (): void => {
    takeWhatCame();
    const { frames, packets, asks, reports } = engine.step(now, 1000);
    for (const frame of frames) {
      const to = readPath(frame)?.destinationId;
      if (to !== undefined && service.mayForward(providerId, to, now)) down.send(frame, now);
    }
    for (const ask of asks) http.send(ask, now);
    books.add(reports);
    books.step(engine, now);
    for (const packet of packets) options.onDevice(packet, now);
  };
  const turnApp = (app: App): void => {
    for (const bytes of app.step(now))
      if (service.mayForward(app.id, providerId, now)) up.send(bytes, now);
    if (!app.isLost()) return;
    app.end(now);
    apps.delete(app.id);
  };
  const turnApps = (): void => {
    for (const bytes of down.arrived(now)) {
      const to = readPath(bytes)?.destinationId;
      if (to !== undefined) apps.get(to)?.frame(bytes, now);
    }
    for (const app of [...apps.values()]) turnApp(app);
  };

  return {
    get engine() {
      return engine;
    },
    service,
    providerId,
    addApp(wanted) {
      const id = ids.next(now);
      const newId = () => ids.next(now);
      const streamSecret = randomBytes(32);
      const own = { id, providerId, service, streamSecret, newId };
      const app = createApp({ isDirect: false, onLost: () => undefined, ...own, ...wanted });
      apps.set(id, app);
      return app;
    },
    leave(app) {
      app.end(now);
      apps.delete(app.id);
      service.forgetClient(app.id);
    },
    now: () => now - start,
    run(ms, each) {
      const until = now + ms;
      while (now < until) {
        const wanted = start + each(now - start);
        service.step(now);
        turnProvider();
        turnApps();
        const wakes = [...apps.values()].map((app) => app.wakeAt(now));
        const links = Math.min(up.nextAt(), down.nextAt(), http.nextAt(), unanswered.nextAt());
        const next = Math.min(links, engine.wakeAt(now), books.wakeAt(), wanted, until, ...wakes);
        now = Math.max(now + 1, next);
      }
    },
    kill() {
      doubtful += books.doubtfulBytes();
      const kept = books.kept(now);
      engine = startEngine(kept);
      books = startBookkeeping(kept?.waiting);
      [up, down, http] = [linkSocket(), linkSocket(), linkHttp()];
    },
    keptAt: () => books.keptAt() - start,
    doubtfulBytes: () => doubtful + books.doubtfulBytes(),
    idCounts: ownIds.counts,
    end() {
      for (const one of engine.end(now)) report(one);
      for (const app of apps.values()) app.end(now);
    },
  };
}

/** Ids that grow are each made once, so only the last has to be remembered. */
function countIds(ids: IdSource) {
  let last: Id | undefined;
  let [made, repeated] = [0, 0];
  return {
    ...ids,
    next(wallMs: number): Id {
      const id = ids.next(wallMs);
      made++;
      if (last !== undefined && id <= last) repeated++;
      last = id;
      return id;
    },
    counts: () => ({ made, repeated }),
  };
}
