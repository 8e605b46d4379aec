import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import type { Engine } from '../../../src/connect/provider/engine-contract.ts';
import type { ContractAsk } from '../../../src/connect/provider/replies.ts';
import { createIdSource, type Id } from '../../../src/connect/wire/id.ts';
import { readPath } from '../../../src/connect/wire/transfer-frame.ts';
import { type App, createApp } from './app.ts';
import { createChance, createLink, type LinkNature } from './link.ts';
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
  now(): number;
  /** `each` gives the time at which it wants to be called next. */
  run(ms: number, each: (now: number) => number): void;
  end(): void;
}

export interface StrictWorldOptions {
  readonly nature: LinkNature;
  readonly seed: number;
  readonly mostUnpaidBytes?: number;
  /** What the provider gives to its device. */
  readonly onDevice: (packet: Buffer, now: number) => void;
}

const start = 1_700_000_000_000;

export function createStrictWorld(options: StrictWorldOptions): StrictWorld {
  const chance = createChance(options.seed);
  const randomBytes = chanceBytes(chance);
  const ids = createIdSource({ randomBytes });
  const service = createService(ids);
  const providerId = ids.next(start);
  const secrets = completeSecrets(randomBytes);
  service.publish(providerId, secrets);
  let now = start;
  const engine = createEngine({
    ownId: providerId,
    secrets,
    wish: 'public',
    ids,
    wallMs: () => now,
    mostUnpaidBytes: options.mostUnpaidBytes,
    pool: testPool,
  });
  const up = createLink<Buffer>(options.nature, chance);
  const down = createLink<Buffer>(options.nature, chance);
  const http = createLink<ContractAsk>({ loss: 0, duplication: 0, delay: 20, jitter: 30 }, chance);
  const apps = new Map<Id, App>();

  const answer = (ask: ContractAsk): void => {
    const { destinationId: to, transferByteCount: byteCount, isCompanion } = ask;
    const granted = service.grant({ from: providerId, to, byteCount, isCompanion }, now);
    engine.answered(ask, granted?.contract, now);
  };
  const report = (reports: ReturnType<Engine['end']>): void => {
    for (const one of reports) service.report(providerId, one, now);
  };
  const turnProvider = (): void => {
    for (const bytes of up.arrived(now)) engine.frame(bytes, now);
    for (const ask of http.arrived(now)) answer(ask);
    const { frames, packets, asks, reports } = engine.step(now, 1000);
    for (const frame of frames) {
      const to = readPath(frame)?.destinationId;
      if (to !== undefined && service.mayForward(providerId, to, now)) down.send(frame, now);
    }
    for (const ask of asks) http.send(ask, now);
    report(reports);
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
    engine,
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
    now: () => now - start,
    run(ms, each) {
      const until = now + ms;
      while (now < until) {
        const wanted = start + each(now - start);
        service.step(now);
        turnProvider();
        turnApps();
        const wakes = [...apps.values()].map((app) => app.wakeAt(now));
        const links = Math.min(up.nextAt(), down.nextAt(), http.nextAt());
        const next = Math.min(links, engine.wakeAt(now), wanted, until, ...wakes);
        now = Math.max(now + 1, next);
      }
    },
    end() {
      report(engine.end(now));
      for (const app of apps.values()) app.end(now);
    },
  };
}
