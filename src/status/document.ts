import * as z from 'zod';
import type { Facts } from '../health/facts.ts';
import { phases, toPhase } from '../health/phase.ts';
import { profileNames, provideModes } from '../service/profiles.ts';

const time = z.iso.datetime().nullable();
const mode = z.enum(provideModes).nullable();
const bytes = z.number();

/** `tributary status --json`, version 1. Fields are added, never changed; what is not known is null, never left out. */
export const statusDocument = z.object({
  version: z.literal(1),
  phase: z.enum(phases),
  reasons: z.array(z.object({ code: z.string(), message: z.string(), action: z.string(), since: z.iso.datetime() })),
  client: z.object({ id: z.string().nullable(), description: z.string().nullable() }),
  service: z.object({
    baseUrl: z.string(),
    profile: z.enum(profileNames),
    reachable: z.boolean().nullable(),
    lastContactAt: time,
    keepaliveSeconds: z.number().nullable(),
    nextKeepaliveAt: time,
  }),
  tunnel: z.object({
    interface: z.string(),
    backend: z.enum(['kernel', 'userspace']).nullable(),
    endpoint: z.string().nullable(),
    lastHandshakeAt: time,
    rxBytes: bytes,
    txBytes: bytes,
  }),
  provide: z.object({
    configured: z.enum(provideModes),
    scheduled: mode,
    override: z.object({ mode: z.enum(provideModes), until: time }).nullable(),
    effective: mode,
    confirmed: mode,
  }),
  gateway: z.object({
    open: z.boolean(),
    uplink: z.string().nullable(),
    /** Ever counted on this device; null before the first reading. */
    forwardedBytes: z.object({ up: bytes.nullable(), down: bytes.nullable() }),
    refusedPackets: z.record(z.string(), z.number()),
  }),
  usage: z.object({ periodStart: time, bytes, capBytes: bytes.nullable(), resetsAt: time }),
});

export type StatusDocument = z.output<typeof statusDocument>;

/** The facts as scripts see them: names and ISO 8601 times in UTC. */
export function toStatusDocument(facts: Facts, now: Date): StatusDocument {
  const { phase, reasons } = toPhase(facts, now);
  const { registration, service, tunnel, gateway, usage } = facts;
  return {
    version: 1,
    phase,
    reasons: reasons.map(({ code, message, action, since }) => ({ code, message, action, since: since.toISOString() })),
    client: { id: registration?.clientId ?? null, description: registration?.description ?? null },
    service: {
      baseUrl: service.baseUrl,
      profile: service.profile,
      reachable: service.isReachable ?? null,
      lastContactAt: toTime(service.lastContactAt),
      keepaliveSeconds: service.keepaliveSeconds ?? null,
      nextKeepaliveAt: toTime(service.nextKeepaliveAt),
    },
    tunnel: {
      interface: tunnel.interface,
      backend: tunnel.backend ?? null,
      endpoint: tunnel.endpoint ?? null,
      lastHandshakeAt: toTime(tunnel.lastHandshakeAt),
      rxBytes: tunnel.rxBytes ?? 0,
      txBytes: tunnel.txBytes ?? 0,
    },
    provide: toProvideDocument(facts),
    gateway: {
      open: gateway.isOpen,
      uplink: gateway.uplink ?? null,
      forwardedBytes: gateway.forwardedBytes ?? { up: null, down: null },
      refusedPackets: { ...gateway.refusedPackets },
    },
    usage: {
      periodStart: toTime(usage.periodStart),
      bytes: usage.bytes,
      capBytes: usage.capBytes ?? null,
      resetsAt: toTime(usage.resetsAt),
    },
  };
}

/** The `provide` part alone, which `tributary provide` answers with. */
export function toProvideDocument({ provide }: Facts): StatusDocument['provide'] {
  const { override } = provide;
  return {
    configured: provide.configured,
    scheduled: provide.scheduled ?? null,
    override: override === undefined ? null : { mode: override.mode, until: toTime(override.until) },
    effective: provide.effective ?? null,
    confirmed: provide.confirmed ?? null,
  };
}

function toTime(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}
