import type { Facts } from '../health/facts.ts';
import { type PhaseReport, phases } from '../health/phase.ts';
import { provideModes } from '../service/profiles.ts';

/** What a statistic is read from. */
export interface MetricsInput {
  readonly facts: Facts;
  readonly report: PhaseReport;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One statistic. The name ends with its unit where it has one, and that of a counter with `_total` besides. */
export interface Metric {
  readonly name: `tributary_${string}`;
  readonly help: string;
  /** undefined or an empty list: not known now, and then the statistic is left out. */
  readonly read: (input: MetricsInput) => number | undefined | readonly Sample[];
}

/** Every statistic, once: a row here and the metrics page has it. */
export const metrics: readonly Metric[] = [
  {
    name: 'tributary_build_info',
    help: 'Version of the agent; always 1.',
    read: ({ facts }) => [{ labels: { version: facts.version }, value: 1 }],
  },
  {
    name: 'tributary_start_time_seconds',
    help: 'Unix time at which the agent started.',
    read: ({ facts }) => toUnixSeconds(facts.startedAt),
  },
  {
    name: 'tributary_resident_memory_bytes',
    help: "Resident memory of the agent's process.",
    read: ({ facts }) => facts.residentBytes,
  },
  {
    name: 'tributary_phase',
    help: '1 for the phase that the agent is in, else 0.',
    read: ({ report }) => toStates('phase', phases, report.phase),
  },
  {
    name: 'tributary_reason',
    help: '1 for each reason that the status names.',
    read: ({ report }) => report.reasons.map(({ code }) => ({ labels: { code }, value: 1 })),
  },
  {
    name: 'tributary_provide_mode',
    help: '1 for the provide mode that is enforced, else 0.',
    read: ({ facts }) => toStates('mode', provideModes, facts.provide.effective),
  },
  {
    name: 'tributary_service_reachable',
    help: '1 while the service can be reached, else 0.',
    read: ({ facts: { service } }) => (service.isReachable === undefined ? undefined : Number(service.isReachable)),
  },
  {
    name: 'tributary_service_last_contact_timestamp_seconds',
    help: "Unix time of the service's last answer.",
    read: ({ facts }) => toUnixSeconds(facts.service.lastContactAt),
  },
  {
    name: 'tributary_service_keepalive_seconds',
    help: 'Interval between two keep-alives, as used.',
    read: ({ facts }) => facts.service.keepaliveSeconds,
  },
  {
    name: 'tributary_service_uptime_day_seconds',
    help: 'Time online in the last 24 hours as the service counts it.',
    read: ({ facts }) => facts.serviceFigures?.uptimeSeconds,
  },
  {
    name: 'tributary_service_transferred_day_bytes',
    help: 'Data transferred in the last 24 hours as the service counts it.',
    read: ({ facts }) => facts.serviceFigures?.transferredBytes,
  },
  {
    name: 'tributary_service_payout_day_usdc',
    help: 'Payout of the last 24 hours as the service estimates it.',
    read: ({ facts }) => facts.serviceFigures?.payoutUsdc,
  },
  {
    name: 'tributary_tunnel_last_handshake_timestamp_seconds',
    help: 'Unix time of the last WireGuard handshake.',
    read: ({ facts }) => toUnixSeconds(facts.tunnel.lastHandshakeAt),
  },
  {
    name: 'tributary_tunnel_received_bytes_total',
    help: 'Bytes received through the tunnel, by WireGuard.',
    read: ({ facts }) => facts.tunnel.rxBytes,
  },
  {
    name: 'tributary_tunnel_sent_bytes_total',
    help: 'Bytes sent through the tunnel, by WireGuard.',
    read: ({ facts }) => facts.tunnel.txBytes,
  },
  {
    name: 'tributary_gateway_open',
    help: '1 while traffic of consumers is forwarded, else 0.',
    read: ({ facts }) => Number(facts.gateway.isOpen),
  },
  {
    name: 'tributary_gateway_forwarded_bytes_total',
    help: 'Bytes forwarded: up to the Internet, down to the consumers.',
    read: ({ facts }) => toSamples('direction', facts.gateway.forwardedBytes),
  },
  {
    name: 'tributary_gateway_refused_packets_total',
    help: 'Packets from the tunnel that were refused, by reason.',
    read: ({ facts }) => toSamples('reason', facts.gateway.refusedPackets),
  },
  {
    name: 'tributary_usage_bytes',
    help: 'Bytes that count against the cap in this period.',
    read: ({ facts }) => facts.usage.bytes,
  },
  {
    name: 'tributary_usage_cap_bytes',
    help: "The owner's cap for a period.",
    read: ({ facts }) => facts.usage.capBytes,
  },
  {
    name: 'tributary_usage_reset_timestamp_seconds',
    help: 'Unix time at which the next period begins.',
    read: ({ facts }) => toUnixSeconds(facts.usage.resetsAt),
  },
];

function toStates(label: string, states: readonly string[], current: string | undefined): readonly Sample[] {
  return states.map((state) => ({ labels: { [label]: state }, value: Number(state === current) }));
}

/** undefined: not read yet. A counter that begins at 0 after every start would be counted twice by who adds it up. */
function toSamples(label: string, values: Readonly<Record<string, number>> | undefined): readonly Sample[] | undefined {
  return values && Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function toUnixSeconds(date: Date | undefined): number | undefined {
  return date && date.getTime() / 1000;
}
