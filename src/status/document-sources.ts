import * as z from 'zod';
import { findProblem } from '../health/explain-sources.ts';
import type { Facts, SourceFacts } from '../health/facts.ts';
import { bringsConsumers } from '../health/may-forward.ts';
import { findAction } from '../health/reasons.ts';
import type { MarketReport } from '../source/source-report.ts';
import { bytes, figure, fill, reason, time } from './document-parts.ts';

const consumerSums = {
  upBytes: bytes,
  downBytes: bytes,
  overheadBytes: bytes,
  acceptedContracts: z.number(),
  unpaidBytes: bytes,
  bridgedBytes: bytes,
  doubtfulBytes: bytes,
};
const minuteCount = z.object({
  valid: z.number(),
  known: z.number(),
  wanted: z.number().nullable(),
});
/** The row of one source in the status document. */
export const sourceDocument = z.object({
  name: z.string(),
  interface: z.string(),
  there: z.boolean(),
  /** When the connection began, or the last sign of life came; null while it is not alive. */
  aliveSince: time,
  /** Until when it counts as alive without another sign; null where the connection tells. */
  aliveUntil: time,
  rxBytes: figure,
  txBytes: figure,
  /** Of all its consumers together; null where it cannot tell them apart. */
  consumers: z
    .object({
      present: z.number(),
      countedSince: time,
      ...consumerSums,
      /** What was added to these since the month began, by UTC. */
      month: z.object(consumerSums),
      refusedContracts: z.record(z.string(), z.number()),
      reportsWaiting: z.number(),
      reportsRefused: z.number(),
      sealing: z.object({
        consumers: z.number(),
        handshakes: z.number(),
        refusedHandshakes: z.record(z.string(), z.number()),
        sealedMessages: z.number(),
        openedMessages: z.number(),
        unopenedMessages: z.number(),
        workMs: z.number(),
        refusedPlaintext: z.number(),
      }),
    })
    .nullable(),
  /**
   * How the network's list of providers judges this device, as far as it can tell; null for a
   * source without one, and before it is known.
   */
  market: z
    .object({
      standing: z.enum([
        'listed',
        'at-risk',
        'waiting',
        'dropped',
        'offline',
        'own-network',
        'nobody',
      ]),
      standingSince: z.iso.datetime(),
      expectedAt: time,
      minutes: z.object({ hour: minuteCount, halfDay: minuteCount, week: minuteCount }),
      speedTest: z
        .object({ at: z.iso.datetime(), bytesPerSecond: z.number(), whole: z.boolean() })
        .nullable(),
      latencyTestedAt: time,
      lastConsumerAt: time,
      /**
       * Public IPv4 addresses of this connection, by which the network sees the device; empty where
       * they are not known. The network itself says neither them nor a country.
       */
      seenAs: z.array(z.string()),
    })
    .nullable(),
  /** What is wrong with it, or what it lacks although it works; null where all is well. */
  problem: reason.nullable(),
});

type SourceDocument = z.output<typeof sourceDocument>;

/** What is known of one source now. */
export function buildSourceDocument(facts: Facts, source: SourceFacts, now: Date): SourceDocument {
  const { name, device, isThere, life, traffic, consumers, market } = source;
  const alive = bringsConsumers(source, now) ? life : undefined;
  const problem = findProblem(facts, source, now);
  return {
    name,
    interface: device,
    there: isThere,
    aliveSince: alive?.since.toISOString() ?? null,
    aliveUntil: alive?.until?.toISOString() ?? null,
    rxBytes: traffic?.rxBytes ?? null,
    txBytes: traffic?.txBytes ?? null,
    consumers: consumers
      ? {
          ...consumers,
          countedSince: consumers.countedSince?.toISOString() ?? null,
          refusedContracts: { ...consumers.refusedContracts },
          sealing: {
            ...consumers.sealing,
            refusedHandshakes: { ...consumers.sealing.refusedHandshakes },
          },
        }
      : null,
    market: market ? toMarketDocument(market, facts) : null,
    problem:
      problem === undefined
        ? null
        : fill(reason, { ...problem, action: problem.action ?? findAction(problem.code) }),
  };
}

function toMarketDocument(
  market: MarketReport,
  { gateway }: Facts,
): NonNullable<SourceDocument['market']> {
  const { speedTest, minutes } = market;
  const toCount = ({ valid, known, wanted }: MarketReport['minutes']['hour']) => ({
    valid,
    known,
    wanted: wanted ?? null,
  });
  return {
    standing: market.standing,
    standingSince: market.standingSince.toISOString(),
    expectedAt: market.expectedAt?.toISOString() ?? null,
    minutes: {
      hour: toCount(minutes.hour),
      halfDay: toCount(minutes.halfDay),
      week: toCount(minutes.week),
    },
    speedTest: speedTest
      ? {
          at: speedTest.at.toISOString(),
          bytesPerSecond: speedTest.bytesPerSecond,
          whole: speedTest.isWhole,
        }
      : null,
    latencyTestedAt: market.latencyTestedAt?.toISOString() ?? null,
    lastConsumerAt: market.lastConsumerAt?.toISOString() ?? null,
    seenAs: [...(gateway.outsideAddresses ?? [])],
  };
}
