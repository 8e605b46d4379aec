import * as z from 'zod';
import type { Facts } from '../health/facts.ts';
import { judgePhase, phases } from '../health/phase.ts';
import { readTotal, type StatisticsInput, type StatusSection } from '../health/statistic.ts';
import { type StatusField, statistics } from '../health/statistics.ts';
import { profileNames, provideModes } from '../service/profiles.ts';
import { bytes, figure, fill, reason, time } from './document-parts.ts';
import { buildSourceDocument, sourceDocument } from './document-sources.ts';

const mode = z.enum(provideModes).nullable();
const tunnelFigures = Object.fromEntries(
  [...statistics].flatMap(({ status }) =>
    status?.section === 'tunnel' ? [[status.field, figure]] : [],
  ),
) as Record<StatusField<'tunnel'>, typeof figure>;
const gatewayFigures = Object.fromEntries(
  [...statistics].flatMap(({ status }) =>
    status?.section === 'gateway' ? [[status.field, figure]] : [],
  ),
) as Record<StatusField<'gateway'>, typeof figure>;

/**
 * `tributary status --json`, version 1. Fields may be added but never change. Unknown values are
 * null, never left out.
 */
export const statusDocument = z.object({
  version: z.literal(1),
  phase: z.enum(phases),
  reasons: z.array(reason),
  client: z.object({ id: z.string().nullable(), description: z.string().nullable() }),
  service: z.object({
    baseUrl: z.string(),
    profile: z.enum(profileNames),
    reachable: z.boolean().nullable(),
    lastContactAt: time,
    keepaliveSeconds: z.number().nullable(),
    nextKeepaliveAt: time,
  }),
  /** Where consumers' traffic comes from, one row for each source. */
  sources: z.array(sourceDocument),
  tunnel: z.object({
    interface: z.string(),
    backend: z.enum(['kernel', 'userspace']).nullable(),
    endpoint: z.string().nullable(),
    lastHandshakeAt: time,
    ...tunnelFigures,
  }),
  provide: z.object({
    configured: z.enum(provideModes),
    scheduled: mode,
    timeZone: z.string().nullable(),
    override: z.object({ mode: z.enum(provideModes), until: time }).nullable(),
    effective: mode,
    confirmed: mode,
    lineLimit: z
      .object({ bitsPerSecond: z.number(), source: z.enum(['configured', 'schedule', 'override']) })
      .nullable(),
    household: z.object({
      mode: z.enum(['first', 'off']),
      bitsPerSecond: figure,
      ceilingBitsPerSecond: figure,
      yieldingSince: time,
      measuredTo: z.enum(['first-hop', 'tunnel-end', 'service', 'router']).nullable(),
      pingProblem: z.enum(['missing', 'not-allowed', 'no-answer']).nullable(),
    }),
  }),
  gateway: z.object({
    open: z.boolean(),
    uplink: z.string().nullable(),
    lineHeldBy: z.enum(['one-tree', 'two-trees', 'policer']).nullable(),
    /** All bytes ever forwarded by this device; null before the first reading. */
    forwardedBytes: z.object({ up: bytes.nullable(), down: bytes.nullable() }),
    refusedPackets: z.record(z.string(), z.number()),
    /**
     * When the self-test last held: the firewall refused and let through what it should of the
     * agent's own test packets.
     */
    selfTestHeldAt: time,
    /** What the kernel tracks in the agent's network now, nearly all of it consumers'. */
    connections: figure,
    ...gatewayFigures,
  }),
  usage: z.object({
    periodStart: time,
    bytes,
    capBytes: bytes.nullable(),
    counts: z.enum(['share', 'line']),
    resetsAt: time,
    reachedAt: time,
  }),
  /** All devices of the network, as counted for payouts; null where nobody asks, or answers. */
  provided: z.object({ paidBytes: figure, unpaidBytes: figure, at: z.iso.datetime() }).nullable(),
  /** Earnings by the service; null before the service named a payout. */
  earned: z
    .object({
      last24hUsdc: z.number(),
      monthUsdc: figure,
      totalUsdc: figure,
      totalSince: time,
      at: z.iso.datetime(),
    })
    .nullable(),
});

export type StatusDocument = z.output<typeof statusDocument>;

/** The facts for scripts: stable names, and ISO 8601 times in UTC. */
export function buildStatusDocument(facts: Facts, now: Date): StatusDocument {
  const report = judgePhase(facts, now);
  const { registration, service, tunnel, gateway, usage, provided, earned } = facts;
  const { shape } = statusDocument;
  return {
    version: 1,
    phase: report.phase,
    reasons: report.reasons.map((own) => fill(reason, own)),
    client: { id: registration?.clientId ?? null, description: registration?.description ?? null },
    service: fill(shape.service, {
      ...service,
      reachable: service.isReachable,
      keepaliveSeconds: service.renewSeconds,
      nextKeepaliveAt: service.nextRenewalAt,
    }),
    sources: facts.sources.map((source) => buildSourceDocument(facts, source, now)),
    tunnel: fill(shape.tunnel, { ...tunnel, ...readSection('tunnel', { facts, report, now }) }),
    provide: buildProvideDocument(facts),
    gateway: fill(shape.gateway, {
      ...gateway,
      open: gateway.isOpen,
      forwardedBytes: gateway.forwardedBytes ?? { up: null, down: null },
      refusedPackets: { ...gateway.refusedPackets },
      selfTestHeldAt: gateway.selfTest.lastHeldAt,
      ...readSection('gateway', { facts, report, now }),
    }),
    usage: fill(shape.usage, { ...usage, reachedAt: usage.reachedAt }),
    provided: provided === undefined ? null : fill(shape.provided.unwrap(), provided),
    earned: earned === undefined ? null : fill(shape.earned.unwrap(), earned),
  };
}

/** The `provide` part alone, which is the answer to `tributary provide`. */
export function buildProvideDocument({ provide, zone }: Facts): StatusDocument['provide'] {
  const { provide: part } = statusDocument.shape;
  const override = provide.override && fill(part.shape.override.unwrap(), provide.override);
  const household = fill(part.shape.household, provide.household);
  return fill(part, { ...provide, timeZone: zone.name, override, household });
}

function readSection<Section extends StatusSection>(section: Section, input: StatisticsInput) {
  const own = statistics.filter(({ status }) => status?.section === section);
  const entries = own.map((statistic) => [statistic.status?.field, readTotal(statistic, input)]);
  return Object.fromEntries(entries) as Record<StatusField<Section>, number | undefined>;
}
