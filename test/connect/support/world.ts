import type { Books } from '../../../src/connect/contract/account.ts';
import { completeSecrets, type ProvideWish } from '../../../src/connect/contract/secrets.ts';
import type { ContractAsk } from '../../../src/connect/provider/contract-ask.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import type { Engine } from '../../../src/connect/provider/engine-contract.ts';
import type { SealedPart } from '../../../src/connect/sealed/sealed-part.ts';
import type { CloseContract } from '../../../src/connect/wire/contract-messages.ts';
import { createIdSource, type Id, type IdSource } from '../../../src/connect/wire/id.ts';
import { makeContract } from './contracts.ts';
import { type Chance, createChance, createLink, type Link, type LinkNature } from './link.ts';
import { chanceBytes } from './pair.ts';
import { createTestConsumer, type TestConsumer } from './test-consumer.ts';

/** A provider, a platform and consumers in virtual time; the device answers by a function. */
export interface World {
  readonly engine: Engine;
  readonly ids: IdSource;
  readonly providerId: Id;
  readonly consumers: readonly TestConsumer[];
  /** What the provider reported, by contract. */
  readonly reported: Map<Id, number>;
  readonly closed: Set<Id>;
  /** What the platform made contracts for, by contract. */
  readonly sizes: Map<Id, number>;
  addConsumer(contractBytes?: number, onControl?: (bytes: Buffer) => void): TestConsumer;
  now(): number;
  run(ms: number, each?: (now: number) => void): void;
  /** Hands bytes to the provider as the platform would. */
  deliver(bytes: Buffer): void;
  report(reports: readonly CloseContract[]): void;
  /** The engine is killed, with all that is on its way, and another one has its books. */
  replaceEngine(books: Books, how?: EngineChange): void;
  /** The provider comes back by another socket: what is on its way is lost. */
  changeLine(): void;
}

/** What is other in the next engine. */
interface EngineChange {
  readonly wish?: ProvideWish;
  readonly sealedPart?: SealedPart;
}

export interface WorldOptions {
  readonly nature: LinkNature;
  readonly seed: number;
  readonly wish?: ProvideWish;
  /** What the device gives back for a packet. */
  readonly device: (packet: Buffer) => readonly Buffer[];
  /** Companions are refused while it says so. */
  readonly refuses?: (now: number) => boolean;
  readonly books?: Books;
  /** Packs that the provider's socket takes in one step. */
  readonly most?: number | (() => number);
  /** How many bytes of messages the socket took. */
  readonly onSent?: (bytes: number) => void;
  /** Addresses for consumers, of each family. */
  readonly poolSize?: number;
  readonly companionBytes?: (asked: number) => number;
  readonly sealedPart?: SealedPart;
  /** The key that the platform knows of every consumer. */
  readonly consumerKey?: Buffer;
  /** Every message on its way through the platform; what it gives goes on. */
  readonly relay?: (bytes: Buffer, from: Id) => readonly Buffer[];
}

const start = 1_700_000_000_000;

export function createWorld(options: WorldOptions): World {
  const chance: Chance = createChance(options.seed);
  const randomBytes = chanceBytes(chance);
  const ids = createIdSource({ randomBytes });
  const providerId = ids.next(start);
  const secrets = completeSecrets(randomBytes);
  let now = start;
  const count = options.poolSize ?? 60_000;
  const startEngine = (books: Books | undefined, how: EngineChange = {}): Engine =>
    createEngine({
      ownId: providerId,
      secrets,
      wish: how.wish ?? options.wish ?? 'public',
      ids,
      wallMs: () => now,
      books,
      sealedPart: how.sealedPart ?? options.sealedPart,
      pool: {
        ipv4: { first: Buffer.from([100, 64, 0, 1]), count },
        ipv6: { first: Buffer.from('fd00'.padEnd(32, '0'), 'hex'), count },
      },
    });
  const linkHttp = (): Link<ContractAsk> =>
    createLink({ loss: 0, duplication: 0, delay: 20, jitter: 30 }, chance);
  const linkSocket = (): Link<Buffer> => createLink(options.nature, chance);
  let engine = startEngine(options.books);
  let [up, down, http] = [linkSocket(), linkSocket(), linkHttp()];
  const consumers: TestConsumer[] = [];
  const reported = new Map<Id, number>();
  const sizes = new Map<Id, number>();
  const closed = new Set<Id>();

  const report = (reports: readonly CloseContract[]): void => {
    for (const { contractId, ackedByteCount, isCheckpoint } of reports) {
      if (closed.has(contractId)) throw new Error('a contract was reported after its close');
      reported.set(contractId, (reported.get(contractId) ?? 0) + ackedByteCount);
      if (!isCheckpoint) closed.add(contractId);
    }
  };
  const grant = (ask: ContractAsk): Buffer | undefined => {
    const consumer = consumers.find(({ id }) => id === ask.destinationId);
    if (consumer === undefined || options.refuses?.(now - start) === true) return undefined;
    const contractId = ids.next(now);
    const byteCount = options.companionBytes?.(ask.transferByteCount) ?? ask.transferByteCount;
    sizes.set(contractId, byteCount);
    const mode = ask.isCompanion ? 4 : 1;
    const secret = consumer.streamSecret();
    return makeContract({
      contractId,
      sourceId: providerId,
      destinationId: consumer.id,
      byteCount,
      secret,
      mode,
      destinationKey: options.consumerKey,
    });
  };
  const relay = (bytes: Buffer, from: Id): readonly Buffer[] =>
    options.relay?.(bytes, from) ?? [bytes];
  const findMost = (): number =>
    typeof options.most === 'function' ? options.most() : (options.most ?? 1000);
  const turnProvider = (): void => {
    for (const bytes of up.arrived(now)) engine.frame(bytes, now);
    for (const ask of http.arrived(now)) engine.answered(ask, grant(ask), now);
    const { frames, packets, asks, keyAsks, reports } = engine.step(now, findMost());
    for (const ask of keyAsks) engine.keyFound(ask, options.consumerKey);
    options.onSent?.(frames.reduce((sum, { length }) => sum + length, 0));
    for (const frame of frames) for (const bytes of relay(frame, providerId)) down.send(bytes, now);
    for (const ask of asks) http.send(ask, now);
    report(reports);
    for (const answer of packets.flatMap(options.device)) engine.packet(answer, now);
  };
  const turnConsumers = (): void => {
    const arrived = down.arrived(now);
    for (const consumer of consumers) {
      for (const bytes of arrived) consumer.frame(bytes, now);
      for (const frame of consumer.step(now))
        for (const bytes of relay(frame, consumer.id)) up.send(bytes, now);
    }
  };

  return {
    get engine() {
      return engine;
    },
    ids,
    providerId,
    consumers,
    reported,
    closed,
    sizes,
    report,
    replaceEngine(books, how) {
      engine = startEngine(books, how);
      [up, down, http] = [linkSocket(), linkSocket(), linkHttp()];
    },
    changeLine() {
      [up, down] = [linkSocket(), linkSocket()];
    },
    now: () => now,
    deliver: (bytes) => engine.frame(bytes, now),
    addConsumer(contractBytes = 1024 * 1024, onControl = () => undefined) {
      const id = ids.next(start);
      const streamSecret = randomBytes(32);
      const newContract = () => {
        const contractId = ids.next(now);
        const secret = secrets.get(3) as Buffer;
        sizes.set(contractId, contractBytes);
        const of = {
          contractId,
          sourceId: id,
          destinationId: providerId,
          byteCount: contractBytes,
          secret,
          mode: 3,
        };
        return { contractId, contract: makeContract(of), usable: Math.floor(contractBytes * 0.8) };
      };
      const newId = () => ids.next(now);
      const of = { id, providerId, streamSecret, newContract, newId, onControl };
      const consumer = createTestConsumer(of);
      consumers.push(consumer);
      return consumer;
    },
    run(ms, each) {
      const until = now + ms;
      while (now < until) {
        each?.(now - start);
        turnProvider();
        turnConsumers();
        const wakes = consumers.map((consumer) => consumer.wakeAt(now));
        const next = Math.min(
          up.nextAt(),
          down.nextAt(),
          http.nextAt(),
          engine.wakeAt(now),
          ...wakes,
        );
        now = Math.max(now + 1, Math.min(next, each === undefined ? until : now + 1));
      }
    },
  };
}
