import { provideModes } from '../service/profiles.ts';
import type { SourceFacts } from './facts.ts';
import { bringsConsumers } from './may-forward.ts';
import { phases } from './phase.ts';
import {
  type Sample,
  type StatisticRow,
  type StatisticsInput,
  type StatusSection,
  toStatistic,
} from './statistic.ts';

const table = {
  tributary_build_info: {
    help: 'Version of the agent; always 1.',
    read: ({ facts }) => [{ labels: { version: facts.version }, value: 1 }],
  },
  tributary_start_time_seconds: {
    help: 'Unix time at which the agent started.',
    read: ({ facts }) => toUnixSeconds(facts.startedAt),
  },
  tributary_resident_memory_bytes: {
    help: "Resident memory of the agent's process.",
    read: ({ facts }) => facts.residentBytes,
  },
  tributary_phase: {
    help: '1 for the phase that the agent is in, else 0.',
    read: ({ report }) => toStates('phase', phases, report.phase),
  },
  tributary_reason: {
    help: '1 for each reason that the status names.',
    read: ({ report }) => report.reasons.map(({ code }) => ({ labels: { code }, value: 1 })),
  },
  tributary_provide_mode: {
    help: '1 for the provide mode that is enforced, else 0.',
    read: ({ facts }) => toStates('mode', provideModes, facts.provide.effective),
  },
  tributary_line_limit_bytes_per_second: {
    help: "What sharing may put on the owner's line, each way.",
    read: ({ facts: { provide } }) => provide.lineLimit && provide.lineLimit.bitsPerSecond / 8,
  },
  tributary_household_bytes_per_second: {
    help: 'What the household leaves to sharing, each way, while sharing yields.',
    read: ({ facts: { provide } }) =>
      provide.household.bitsPerSecond && provide.household.bitsPerSecond / 8,
  },
  tributary_service_reachable: {
    help: '1 while the service can be reached, else 0.',
    read: ({ facts: { service } }) =>
      service.isReachable === undefined ? undefined : Number(service.isReachable),
  },
  tributary_service_last_contact_timestamp_seconds: {
    help: "Unix time of the service's last answer.",
    read: ({ facts }) => toUnixSeconds(facts.service.lastContactAt),
  },
  tributary_service_keepalive_seconds: {
    help: 'Interval between two renewals of the registration, as used.',
    read: ({ facts }) => facts.service.renewSeconds,
  },
  tributary_service_uptime_day_seconds: {
    help: 'Time online in the last 24 hours as the service counts it.',
    read: ({ facts }) => facts.serviceFigures?.uptimeSeconds,
  },
  tributary_service_transferred_day_bytes: {
    help: 'Data transferred in the last 24 hours as the service counts it.',
    read: ({ facts }) => facts.serviceFigures?.transferredBytes,
  },
  tributary_service_payout_usdc: {
    help: 'Payout as the service estimates it: of the last 24 hours, and since the month began by UTC.',
    read: ({ facts: { earned } }) =>
      toSamples('window', { '24h': earned?.last24hUsdc, month: earned?.monthUsdc }),
  },
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
  tributary_source_reports_waiting: {
    help: 'Reports of a source that the service has not answered yet.',
    read: (input) => toSourceSamples(input, ({ consumers }) => consumers?.reportsWaiting),
  },
  tributary_tunnel_last_handshake_timestamp_seconds: {
    help: 'Unix time of the last WireGuard handshake.',
    read: ({ facts }) => toUnixSeconds(facts.tunnel.lastHandshakeAt),
  },
  tributary_tunnel_received_bytes_total: {
    help: 'Bytes received through the tunnel, by WireGuard.',
    read: ({ facts }) => facts.tunnel.rxBytes,
    status: { section: 'tunnel', field: 'rxBytes', words: 'received' },
  },
  tributary_tunnel_sent_bytes_total: {
    help: 'Bytes sent through the tunnel, by WireGuard.',
    read: ({ facts }) => facts.tunnel.txBytes,
    status: { section: 'tunnel', field: 'txBytes', words: 'sent' },
  },
  tributary_gateway_open: {
    help: '1 while traffic of consumers is forwarded, else 0.',
    read: ({ facts }) => Number(facts.gateway.isOpen),
  },
  tributary_gateway_forwarded_bytes_total: {
    help: 'Bytes forwarded: up to the Internet, down to the consumers.',
    read: ({ facts }) => toSamples('direction', facts.gateway.forwardedBytes),
    isKept: true,
    ledger: {
      upBytes: { title: 'Up', labels: { direction: 'up' } },
      downBytes: { title: 'Down', labels: { direction: 'down' } },
    },
  },
  tributary_gateway_refused_packets_total: {
    help: 'Packets from the tunnel that were refused, by reason.',
    read: ({ facts }) => toSamples('reason', facts.gateway.refusedPackets),
    ledger: { refusedPackets: { title: 'Refused' } },
  },
  tributary_usage_bytes: {
    help: 'Bytes that count against the cap in this period.',
    read: ({ facts }) => facts.usage.bytes,
  },
  tributary_usage_cap_bytes: {
    help: "The owner's cap for a period.",
    read: ({ facts }) => facts.usage.capBytes,
  },
  tributary_usage_reset_timestamp_seconds: {
    help: 'Unix time at which the next period begins.',
    read: ({ facts }) => toUnixSeconds(facts.usage.resetsAt),
  },
} as const satisfies Readonly<Record<`tributary_${string}`, StatisticRow>>;

export const statistics = Object.entries(table).map(toStatistic);

type KeyOf<Union> = Union extends unknown ? keyof Union & string : never;
type Row = (typeof table)[keyof typeof table];

/** The fields of the column `status` in a section. */
export type StatusField<Section extends StatusSection> = Extract<
  Extract<Row, { readonly status: object }>['status'],
  { readonly section: Section }
>['field'];

/** The names in the column `ledger`. */
export type LedgerFigure = KeyOf<Extract<Row, { readonly ledger: object }>['ledger']>;

function toStates(
  label: string,
  states: readonly string[],
  current: string | undefined,
): readonly Sample[] {
  return states.map((state) => ({ labels: { [label]: state }, value: state === current ? 1 : 0 }));
}

/**
 * Samples of the values that were read. An unread counter must not be shown as 0: a program that
 * adds up growth would count it twice.
 */
function toSamples(
  label: string,
  values: Readonly<Record<string, number | undefined>> = {},
): readonly Sample[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ labels: { [label]: name }, value }],
  );
}

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
  read: (source: SourceFacts) => Readonly<Record<string, number>> | undefined,
): readonly Sample[] {
  const byName = new Map(facts.sources.map((own) => [own.name, own]));
  return [...byName.values()].flatMap((own) =>
    toSamples(label, read(own)).map(({ labels, value }) => ({
      labels: { source: own.name, ...labels },
      value,
    })),
  );
}

function toUnixSeconds(date: Date | undefined): number | undefined {
  return date === undefined ? undefined : date.getTime() / 1000;
}
