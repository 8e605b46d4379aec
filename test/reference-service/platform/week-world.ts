import { onTestFinished } from 'vitest';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import { createPublisher } from '../../../src/connect/engine/publisher.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import type { Engine } from '../../../src/connect/provider/engine-contract.ts';
import { createLink, type Link, type LinkEffect } from '../../../src/connect/socket/link.ts';
import type { Sighting } from '../../../src/connect/socket/sighting.ts';
import { toFrame } from '../../../src/connect/wire/frame.ts';
import { createIdSource, fromUuid, type Id } from '../../../src/connect/wire/id.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { createClients } from '../../../src/reference-service/clients.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import { createBlocks } from '../../../src/reference-service/platform/blocks.ts';
import { createForwards } from '../../../src/reference-service/platform/forwards.ts';
import { isListed, lookBack } from '../../../src/reference-service/platform/market.ts';
import { createProvideKeys } from '../../../src/reference-service/platform/provide-keys.ts';
import { createResidents } from '../../../src/reference-service/platform/residents.ts';
import { createVisits } from '../../../src/reference-service/platform/visits.ts';
import { createProxies } from '../../../src/reference-service/proxies.ts';
import { createChance } from '../../connect/support/link.ts';
import { chanceBytes } from '../../connect/support/pair.ts';
import { testPool } from '../../connect/support/test-pool.ts';
import { makeDirectory } from '../../make-directory.ts';
import { createWeekLine, type WeekLine } from './week-line.ts';

/**
 * One device and the platform in virtual time: the device's own way to the platform, its publisher
 * and its engine without consumers, and the platform's own blocks, by which minutes are judged.
 */
export interface WeekWorld {
  readonly line: WeekLine;
  /** From 0 to 1, the same for the same seed. */
  readonly chance: () => number;
  /** Virtual ms since the beginning. */
  now(): number;
  /** Runs the present state on until then, in virtual ms since the beginning. */
  runUntil(until: number): void;
  /** The device's process begins, with what an earlier one kept. */
  start(): Promise<void>;
  /** It ends; its sockets are closed. */
  stop(): void;
  /** The platform's host drains for two minutes. */
  drain(): void;
  /** A new token comes: a socket is opened with it. */
  renewToken(): void;
  /** Whole minutes since that time, and how many of them counted. */
  judge(since: number): { readonly minutes: number; readonly valid: number };
  /** Whether the platform lists the device. */
  isListed(): boolean;
  /** The present time of all clocks, in Unix ms. */
  wallMs(): number;
  /** How often something was published. */
  published(): number;
}

interface Process {
  readonly link: Link;
  readonly engine: Engine;
  readonly instanceId: string;
}

export interface WeekWorldOptions {
  readonly seed: number;
  /** Told what the device sees of how it is judged. */
  readonly onSeen?: (sighting: Sighting) => void;
}

/** At the beginning of a block. */
const startMs = 1_700_000_040_000;
const minute = 60_000;
/** How often the platform looks at its sockets. */
const lookEvery = 2000;
/** The engine is asked so long after a frame: it collects acks for a moment. */
const ackDelay = 15;

export function createWeekWorld(of: WeekWorldOptions): WeekWorld {
  const chance = createChance(of.seed);
  const randomBytes = chanceBytes(chance);
  const ids = createIdSource({ randomBytes });
  const secrets = completeSecrets(randomBytes);
  let nowMs = startMs;
  const now = (): number => nowMs;
  const database = openDatabase(makeDirectory());
  onTestFinished(() => database.close());
  const { networkId } = createNetworks(database, now).ensureFirst();
  const { clientId } = createClients(database, createProxies(database), now).create({
    networkId,
    description: '',
    deviceSpec: '',
    sourceClientId: undefined,
    proxy: undefined,
    provideMode: 'none',
  });
  const ownId: Id = fromUuid(clientId);
  const keys = createProvideKeys(database);
  const blocks = createBlocks(database, now);
  const visits = createVisits({
    residents: createResidents(now),
    forwards: createForwards({ now, hasClean: () => false }),
    clocks: () => ({ now: nowMs, platformNow: nowMs }),
    rate: () => 1,
    newId: () => ids.next(nowMs),
    randomBytes,
    onControlFrame: () => undefined,
    resetStreams: () => [toFrame(messageTypes.streamReset, Buffer.alloc(0))],
    attempt: (work) => work(),
    onOpened: () => ({ onMeasured: () => undefined, onClosed: () => undefined }),
    onConnection: () => undefined,
  });
  let process: Process | undefined;
  let kept: string | null = null;
  let published = 0;
  let instances = 0;
  let lookAt = startMs;
  /** When the engine has something to do. */
  let engineAt = Number.POSITIVE_INFINITY;
  let drainEndsAt = Number.POSITIVE_INFINITY;

  const line = createWeekLine({
    now,
    open: (to) => visits.open({ clientId, networkId }, process?.instanceId ?? '', to),
    opened: (socket) => act(process?.link.opened(socket, nowMs)),
    received: (socket, bytes) => act(process?.link.received(socket, bytes, nowMs)),
    closed: (socket) => act(process?.link.closed(socket, nowMs)),
  });

  function act(effects: readonly LinkEffect[] = []): void {
    for (const effect of effects) carryOut(effect);
  }
  function carryOut(effect: LinkEffect): void {
    if (effect.kind === 'dial') line.dial(effect.socket);
    else if (effect.kind === 'send') line.send(effect.socket, effect.bytes);
    else if (effect.kind === 'close') line.close(effect.socket);
    else if (effect.kind === 'seen') of.onSeen?.(effect.sighting);
    else if (effect.kind === 'frame') hear(effect.bytes);
  }
  function hear(frame: Buffer): void {
    process?.engine.frame(frame, nowMs);
    engineAt = Math.min(engineAt, nowMs + ackDelay);
  }
  const turn = (of: Process): void => {
    act(of.link.step(nowMs));
    if (nowMs < engineAt) return;
    engineAt = Number.POSITIVE_INFINITY;
    const { frames, moveAt } = of.engine.step(nowMs, 100);
    for (const frame of frames) act(of.link.send(frame, nowMs));
    if (moveAt !== undefined) of.link.move(moveAt);
  };
  const look = (): void => {
    lookAt = nowMs + lookEvery;
    visits.step();
    blocks.sync(visits.takeSyncs());
    if (nowMs < drainEndsAt) return;
    drainEndsAt = Number.POSITIVE_INFINITY;
    visits.endDrained();
  };

  return {
    line,
    chance,
    now: () => nowMs - startMs,
    runUntil(until) {
      while (nowMs < startMs + until) {
        if (nowMs >= lookAt) look();
        line.step();
        if (process !== undefined) turn(process);
        const linkAt = process?.link.wakeAt() ?? Number.POSITIVE_INFINITY;
        const next = Math.min(lookAt, line.nextAt(), startMs + until, linkAt, engineAt);
        nowMs = Math.max(nowMs + 1, next);
      }
    },
    async start() {
      const stopping = new AbortController();
      const publisher = createPublisher({
        ownId,
        secrets,
        control: {
          async provide(wanted) {
            keys.publish(clientId, wanted);
            published++;
            if (visits.isAnnounced(clientId)) blocks.noteChange(clientId);
            return { kind: 'done' };
          },
        },
        wish: () => 'public',
        published: kept,
        random: chance,
        onPublished() {
          kept = publisher.published();
        },
      });
      const running = publisher.run(stopping.signal);
      await publisher.first;
      stopping.abort();
      await running;
      process = {
        link: createLink({ ownId, hosts: 2, random: chance }),
        engine: createEngine({ ownId, secrets, wish: 'public', ids, wallMs: now, pool: testPool }),
        instanceId: `instance ${instances++}`,
      };
    },
    stop() {
      process = undefined;
      line.closeAll();
    },
    drain() {
      visits.drain(nowMs + 2000 + Math.floor(chance() * 4000));
      drainEndsAt = nowMs + 120_000;
    },
    renewToken: () => process?.link.move(nowMs),
    judge(since) {
      const { valid } = blocks.judge(clientId, startMs + since);
      return { minutes: Math.floor((nowMs - startMs - since) / minute), valid };
    },
    isListed: () => isListed(lookBack(blocks, clientId)),
    wallMs: now,
    published: () => published,
  };
}
