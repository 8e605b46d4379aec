import { provideModes } from '../service/profiles.ts';
import { phases } from './phase.ts';
import { sourceStatistics } from './source-statistics.ts';
import {
  type Sample,
  type StatisticRow,
  type StatusSection,
  toSamples,
  toStatistic,
  toUnixSeconds,
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
  tributary_log_dropped_lines_total: {
    help: 'Lines that the log lacks, because it could not be written.',
    read: ({ facts }) => facts.log.droppedLines,
  },
  tributary_failures_total: {
    help: 'Failures of parts without which the agent shares on; each is in the log.',
    read: ({ facts }) => toSamples('part', facts.failures),
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
  tributary_household_yields_total: {
    help: 'How often sharing began to yield to the household since the start.',
    read: ({ facts }) => facts.provide.household.yields,
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
  tributary_sign_in_end_timestamp_seconds: {
    help: 'Unix time at which the sign-in ends if the service does not renew it.',
    read: ({ facts }) => toUnixSeconds(facts.signIn.endsAt),
  },
  tributary_service_requests_total: {
    help: "Requests to the service since the start, by how they ended: 'ok', or the code of the error.",
    read: ({ facts }) => toSamples('outcome', facts.service.requests),
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
  tributary_service_provided_bytes: {
    help: "What all devices of the owner's network provided, as the service counts it for payouts: paid out, and not yet.",
    read: ({ facts: { provided } }) =>
      toSamples('payout', { paid: provided?.paidBytes, unpaid: provided?.unpaidBytes }),
  },
  ...sourceStatistics,
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
  tributary_gateway_connections: {
    help: "Connections that the kernel tracks in the agent's network now.",
    read: ({ facts }) => facts.gateway.connections,
  },
  tributary_self_test_failures_total: {
    help: 'Tests of the firewall since the start that failed, each of which ends sharing at once.',
    read: ({ facts }) => facts.gateway.selfTest.failures,
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
