import { loadAccount, makeClose } from '../contract/account.ts';
import type { ConsumerData } from '../contract/consumer-data.ts';
import { createReceivedContracts } from '../contract/received-contracts.ts';
import { publishedModes } from '../contract/secrets.ts';
import { createServiceClock } from '../contract/service-clock.ts';
import type { Id } from '../wire/id.ts';
import { fromProviderFrame } from '../wire/ip-frames.ts';
import { provideModes } from '../wire/message-types.ts';
import type { Pack } from '../wire/pack.ts';
import { WireError } from '../wire/wire-error.ts';
import { createBudgets } from './budgets.ts';
import { createConsumer } from './consumer.ts';
import type { Consumer } from './consumer-contract.ts';
import type { ContractAsk } from './contract-ask.ts';
import { isPlainData } from './controls.ts';
import { type Drops, noDrops } from './counters.ts';
import { createDelivery } from './delivery.ts';
import type { Engine, EngineOptions } from './engine-contract.ts';
import { createPeerKeys } from './peer-keys.ts';
import { createPlatformPeer } from './platform-peer.ts';
import { noRenewals, type Renewals, usualUnpaidBytes } from './renewal.ts';
import { createReturning, listKnown } from './returning.ts';
import { createRoster, type MakeConsumer, type Roster } from './roster.ts';
import { createSealingSums } from './sealing-counters.ts';
import { createStrangers } from './strangers.ts';
import { createTranslation } from './translation.ts';
import { createTurns, sendAcks } from './turns.ts';
import { createUnknownSealers } from './unknown-sealers.ts';
import { unseal } from './unseal.ts';

/** Books are kept, and what is idle is looked at, so often; what is busy is looked at each step. */
const round = 1000;

export function createEngine(options: EngineOptions): Engine {
  const { ownId, ids, wallMs } = options;
  let wish = options.wish;
  const clock = createServiceClock();
  const ledger = createReceivedContracts({
    verifyBy: () => ({ ownId, secrets: options.secrets, wish }),
    clock,
    earlier: options.books,
  });
  const translation = createTranslation(options.pool, options.secrets);
  const budgets = createBudgets();
  const platform = createPlatformPeer(budgets.receiveBudget);
  const sealingSums = createSealingSums(() => options.sealedPart?.workMs() ?? 0);
  const strangers = createStrangers();
  const earlier = options.books?.consumers ?? [];
  const returning = createReturning({ earlier, wish, translation });
  const turns = createTurns(ownId);
  let asks: ContractAsk[] = [];
  // Our answers of an earlier life go on by new contracts, so the old ones are closed.
  let reports = (options.books?.own ?? []).flatMap((data) => makeClose(loadAccount(data)) ?? []);
  let roundAt = Number.NEGATIVE_INFINITY;
  const [drops, renewals]: [Drops, Renewals] = [{ ...noDrops }, { ...noRenewals }];
  const bytes = { upBytes: 0, downBytes: 0 };
  const delivery = createDelivery({ translation, drops, carried: bytes });
  let tellNews = (): void => undefined;

  const makeConsumer: MakeConsumer = (id, known, offering = known) => {
    const consumer: Consumer = createConsumer({
      id,
      ownId,
      ledger,
      clock,
      ...budgets.ofOne(),
      newId: () => ids.next(wallMs()),
      renewals,
      drops,
      carried: bytes,
      mostUnpaidBytes: options.mostUnpaidBytes ?? usualUnpaidBytes,
      earlier: known,
      offering,
      sealedPart: options.sealedPart,
      onNews() {
        roster.busy.add(consumer);
        tellNews();
      },
      onOffered: () => peerKeys.want(id),
      onRestarted: () => peerKeys.restarted(id),
      onLane: () => roster.changed(),
      onLate(frames) {
        drops.late += frames;
      },
      deliver: (frame, now) => delivery.deliver(consumer, frame, now),
    });
    return consumer;
  };

  const roster: Roster = createRoster({
    returning,
    make: makeConsumer,
    onLeft(consumer) {
      reports.push(...consumer.end());
      peerKeys.forget(consumer.id);
      translation.release(consumer.id);
      sealingSums.left(consumer);
    },
  });
  const { consumers, busy, wake } = roster;

  const unknown = createUnknownSealers({
    ownId,
    clock,
    isServing: () => publishedModes[wish].includes(provideModes.network),
    vouched: roster.vouched,
  });
  const peerKeys = createPeerKeys((id, key) => wake(id)?.sealing.setPeerKey(key));

  const refuses = (pack: Pack): boolean => {
    const isRefused = options.sealedPart?.isRequired === true && isPlainData(pack);
    if (isRefused) drops.plain++;
    return isRefused;
  };
  const takePack = (sourceId: Id, pack: Pack, now: number): void => {
    const known = consumers.get(sourceId);
    if (known === undefined && !roster.hasRoom(now)) {
      drops.tooMany++;
      return;
    }
    const consumer = known ?? makeConsumer(sourceId, returning.find(sourceId, now));
    if (!consumer.take(pack, now)) {
      if (!strangers.take(sourceId, pack, now)) drops.unpaid++;
      // It begins a handshake by a contract that an earlier life knew, and goes on with it here.
      if (consumer.sealing.counters() !== undefined) roster.enter(consumer);
      return;
    }
    roster.enter(consumer);
    for (const early of strangers.claim(sourceId, pack.sequenceId)) consumer.take(early, now);
  };

  const read = (message: Buffer, now: number): void => {
    const { path, body } = unseal(message, (id, sealed) => {
      const consumer = roster.meet(id, now);
      if (consumer === undefined && !returning.has(id)) unknown.noticed(id, now);
      return consumer?.sealing.open(sealed, now);
    });
    const { sourceId } = path;
    if (path.destinationId !== ownId || path.streamId !== undefined) drops.misdirected++;
    else if (sourceId === undefined) platform.take(body, now);
    else if (body.kind === 'pack' && !refuses(body.pack)) takePack(sourceId, body.pack, now);
    else if (body.kind === 'ack' && !wake(sourceId)?.acked(body.ack, now)) drops.strayAcks++;
  };

  const keepBooks = (consumer: Consumer, now: number): void => {
    const books = consumer.keepBooks(now);
    asks.push(...books.asks);
    reports.push(...books.reports);
    if (consumer.isGone(now)) roster.leave(consumer);
  };
  const beginRound = (now: number): void => {
    roundAt = now + round;
    for (const consumer of [...consumers.values()]) keepBooks(consumer, now);
    reports.push(...ledger.takeReports(now));
    strangers.forget(now);
    returning.forget(now);
    for (const consumer of consumers.values()) busy.add(consumer);
  };
  /** Who was there at the end. */
  let left: readonly ConsumerData[] | undefined;
  const saveKnown = () => listKnown({ consumers: consumers.values(), translation, returning });

  return {
    frame(message, now) {
      try {
        read(message, now);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        drops.unreadable++;
      }
    },
    packet(packet, now) {
      const id = translation.inward(packet);
      const consumer = id === undefined ? undefined : roster.meet(id, now);
      if (consumer === undefined) {
        drops.noAddress++;
        return;
      }
      if (!consumer.answer(fromProviderFrame(packet), now)) drops.full++;
    },
    answered(ask, contract, now) {
      if (contract === undefined && consumers.has(ask.destinationId)) renewals.refused++;
      if (contract === undefined) ask.contracts.refused(now);
      else {
        ask.contracts.granted(contract, now);
        peerKeys.granted(ask.destinationId, contract);
      }
      // A contract that came too late for its sequence is given back here.
      const step = ask.contracts.step(now);
      reports.push(...step.reports);
      if (step.ask !== undefined) asks.push({ ...ask, transferByteCount: step.ask });
      wake(ask.destinationId);
    },
    keyFound: peerKeys.found,
    step(now, most) {
      if (now >= roundAt) beginRound(now);
      const packs = turns.send(busy, { now, most });
      for (const consumer of [...busy]) keepBooks(consumer, now);
      asks.push(...unknown.takeAsks(now));
      const step = {
        frames: [...sendAcks(ownId, [platform, ...busy, ...strangers.takeAcks()], now), ...packs],
        packets: delivery.takePackets(),
        asks,
        keyAsks: peerKeys.takeAsks(now),
        reports,
        moveAt: platform.takeMove(),
      };
      // Where the line was full, some had no turn, and do not know yet what they could send.
      for (const consumer of packs.length < most ? busy : [])
        if (consumer.wakeAt(now) >= roundAt) busy.delete(consumer);
      [asks, reports] = [[], []];
      return step;
    },
    wakeAt(now) {
      let soonest = Math.min(roundAt, platform.wakeAt());
      for (const consumer of busy) soonest = Math.min(soonest, consumer.wakeAt(now));
      return Math.max(now + 1, soonest);
    },
    onNews(listener) {
      tellNews = listener;
    },
    hasten: clock.hasten,
    setWish(next) {
      wish = next;
      for (const consumer of consumers.values()) consumer.narrow(next);
      returning.setWish(next);
    },
    end(now) {
      left = saveKnown();
      const last = [...consumers.values()].flatMap((consumer) => consumer.end());
      roster.clear();
      return [...reports, ...last, ...ledger.takeReports(now)];
    },
    save: () => ({
      ...ledger.save(),
      own: [...consumers.values()].flatMap((consumer) => consumer.save()),
      consumers: left ?? saveKnown(),
    }),
    changes: roster.changes,
    counters: () => ({
      consumers: consumers.size,
      contracts: ledger.counters(),
      ...bytes,
      dropped: { ...drops },
      renewals: { ...renewals },
      sealing: sealingSums.sum(consumers.values()),
    }),
  };
}
