import type { SourceFacts } from './facts.ts';
import { splitCarried, toListed, toShares } from './listing.ts';
import { bringsConsumers } from './may-forward.ts';
import {
  type Sample,
  type StatisticRow,
  type StatisticsInput,
  toSamples,
  toUnixSeconds,
} from './statistic.ts';

/** The rows of the table of statistics that each source of consumers' traffic has, by its name. */
export const sourceStatistics = {
  tributary_source_alive: {
    help: '1 while the other end of a source of traffic answers, else 0.',
    read: (input) => toSourceSamples(input, (source) => Number(bringsConsumers(source, input.now))),
  },
  tributary_source_received_bytes_total: {
    help: 'Bytes that came in by the network device of a source of traffic.',
    read: (input) => toSourceSamples(input, ({ traffic }) => traffic?.rxBytes),
  },
  tributary_source_sent_bytes_total: {
    help: 'Bytes that went out by the network device of a source of traffic.',
    read: (input) => toSourceSamples(input, ({ traffic }) => traffic?.txBytes),
  },
  tributary_source_consumers: {
    help: 'Consumers that a source has now, where it can tell them apart.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.present),
  },
  tributary_source_carried_bytes_total: {
    help: "Bytes of consumers' packets that a source carried: up from them, down to them.",
    read: (input) =>
      toLabelledSourceSamples(
        input,
        'direction',
        ({ consumers }) => consumers && { up: consumers.upBytes, down: consumers.downBytes },
      ),
    isKept: true,
  },
  tributary_source_accepted_contracts_total: {
    help: "Consumers' contracts that a source accepted.",
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.acceptedContracts),
    isKept: true,
  },
  tributary_source_refused_contracts_total: {
    help: "Consumers' contracts that a source refused, by reason.",
    read: (input) =>
      toLabelledSourceSamples(input, 'reason', ({ consumers }) => consumers?.refusedContracts),
  },
  tributary_source_sealed_consumers: {
    help: 'Consumers that are answered sealed now, so that nobody between reads their packets.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.sealing.consumers),
  },
  tributary_source_sealed_messages_total: {
    help: 'Messages between consumers and a source that were sealed, by direction; unopened: those that no key opened.',
    read: (input) =>
      toLabelledSourceSamples(
        input,
        'direction',
        ({ consumers }) =>
          consumers && {
            up: consumers.sealing.openedMessages,
            down: consumers.sealing.sealedMessages,
            unopened: consumers.sealing.unopenedMessages,
          },
      ),
  },
  tributary_source_sealing_seconds_total: {
    help: 'How long a source took to seal and to open messages, by one in 64; handshakes are not in it.',
    read: (input) =>
      toSourceSamples(input, ({ consumers }) => consumers && consumers.sealing.workMs / 1000),
  },
  tributary_source_handshakes_total: {
    help: 'Handshakes with consumers that seal, which both ends finished.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.sealing.handshakes),
  },
  tributary_source_refused_handshakes_total: {
    help: 'Handshakes with consumers that were given up, by reason.',
    read: (input) =>
      toLabelledSourceSamples(
        input,
        'reason',
        ({ consumers }) => consumers?.sealing.refusedHandshakes,
      ),
  },
  tributary_source_refused_plaintext_total: {
    help: 'Messages of consumers that came in plaintext and were not taken, because sealing is required.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.sealing.refusedPlaintext),
  },
  tributary_source_unpaid_bytes_total: {
    help: 'Bytes that a source carried, and that nobody pays for any more.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.unpaidBytes),
    isKept: true,
  },
  tributary_source_bridged_bytes_total: {
    help: 'Bytes that a source carried by contracts that the service had closed by then.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.bridgedBytes),
    isKept: true,
  },
  tributary_source_doubtful_bytes_total: {
    help: 'Bytes that a source reported, and of which nobody knows whether they were counted.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.doubtfulBytes),
    isKept: true,
  },
  // No counter: it falls where what seemed to be paid turns out to be lost.
  tributary_source_paid_bytes: {
    help: 'Bytes that a source carried, and that are paid for as far as this device can tell.',
    read: (input) =>
      toSourceSamples(input, ({ consumers }) => consumers && splitCarried(consumers).paidBytes),
  },
  tributary_source_overhead_bytes_total: {
    help: "Bytes that a source's own protocol needed on the wire besides what it carried.",
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.overheadBytes),
    isKept: true,
  },
  tributary_source_listed: {
    help: "1 while the network's list has this device, as far as it can tell, else 0; absent where the mode offers it to no strangers.",
    read: (input) => toSourceSamples(input, ({ market }) => market && toListed(market.standing)),
  },
  tributary_source_valid_ratio: {
    help: 'Share of the last minutes that the network counts for this device, by window.',
    read: (input) => toLabelledSourceSamples(input, 'window', ({ market }) => toShares(market)),
  },
  tributary_source_speed_test_bytes_per_second: {
    help: 'What the last speed test of the network showed at this end.',
    read: (input) => toSourceSamples(input, ({ market }) => market?.speedTest?.bytesPerSecond),
  },
  tributary_source_last_consumer_timestamp_seconds: {
    help: 'Unix time at which a consumer was last sent or sent anything.',
    read: (input) => toSourceSamples(input, ({ market }) => toUnixSeconds(market?.lastConsumerAt)),
  },
  tributary_source_reports_waiting: {
    help: 'Reports of a source that the service has not answered yet.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.reportsWaiting),
  },
} as const satisfies Readonly<Record<`tributary_source_${string}`, StatisticRow>>;

/** A sample for each source of which the value is known, with its name. */
function toSourceSamples(
  { facts }: StatisticsInput,
  read: (source: SourceFacts) => number | undefined,
): readonly Sample[] {
  return toSamples('source', Object.fromEntries(facts.sources.map((own) => [own.name, read(own)])));
}

/** Samples of several values of each source, which one more label tells apart. */
function toLabelledSourceSamples(
  { facts }: StatisticsInput,
  label: string,
  read: (source: SourceFacts) => Readonly<Record<string, number | undefined>> | undefined,
): readonly Sample[] {
  const byName = new Map(facts.sources.map((own) => [own.name, own]));
  return [...byName.values()].flatMap((own) =>
    toSamples(label, read(own)).map(({ labels, value }) => ({
      labels: { source: own.name, ...labels },
      value,
    })),
  );
}
