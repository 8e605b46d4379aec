import { dayMs, GIB, hourMs } from '../lib/units.ts';
import type { Backend, Handlers } from './backend.ts';
import { usdcPerGib } from './prices.ts';
import { toWireTime } from './profile.ts';
import { refuse } from './refusal.ts';
import { type DayUsage, type HourUsage, noUsage, sumUsage, type Usage } from './usage.ts';
import type { Connection, ConsumerDay } from './usage-history.ts';
import { toDay } from './usage-hours.ts';

const manyDays = 90;

export const providerStatisticsHandlers = {
  /** A client's token shows that client alone. */
  providers: (backend, { network: { networkId }, ownClientId }) =>
    listProviders(backend, { networkId, hours: 24, clientId: ownClientId }),

  async providersLastN(backend, { request, network }) {
    const hours = limitLookback(request.last_n ?? 24);
    const { networkId } = network;
    const { created_time, providers } = await listProviders(backend, { networkId, hours });
    const withoutDemand = providers.map((page) =>
      page.map(
        ({ search_interest_last_24h, contracts_last_24h, clients_last_24h, ...provider }) =>
          provider,
      ),
    );
    return { created_time, providers: withoutDemand };
  },

  /**
   * One provider's hours and days. `last_n` counts hours; `lookback` counts them too as documented,
   * and days in production, of which a part counts as one.
   */
  async providerLastN(backend, { request, network }) {
    const asked = limitLookback(request.last_n);
    const lookback = backend.profile.lookbackUnit === 'day' ? Math.ceil(asked / 24) : asked;
    const client = backend.clients.get(network.networkId, request.client_id);
    await backend.sample();
    const sinceMs = backend.now() - asked * hourMs;
    const hours = backend.usageHistory.listHours(client.clientId, sinceMs);
    const uptime = byHour(hours, (usage) => usage.onlineMs / 60_000);
    return { lookback, ...describeDays(backend, client.clientId, sinceMs), uptime };
  },

  /** The present day is one of the days. */
  async providerLast90(backend, { request, network }) {
    if (request.client_id === undefined)
      throw refuse('Name the client: these are the statistics of one provider.');
    const client = backend.clients.get(network.networkId, request.client_id);
    await backend.sample();
    const sinceMs = (toDay(backend.now()) - manyDays + 1) * dayMs;
    return { lookback: manyDays, ...describeDays(backend, client.clientId, sinceMs) };
  },
} satisfies Partial<Handlers>;

/** One provider's days. Its time online is in minutes by day. */
function describeDays({ profile, usageHistory, now }: Backend, clientId: string, sinceMs: number) {
  const days = usageHistory.listDays(clientId, sinceMs);
  const known = new Set(days.map(({ day }) => day));
  const consumerDays = usageHistory
    .listConsumerDays(clientId, sinceMs)
    .filter(({ day }) => known.has(day));
  const consumersOn = Map.groupBy(consumerDays, (row) => row.day);
  const consumers = [...Map.groupBy(consumerDays, (row) => row.consumerId)];
  return {
    uptime: byDay(days, (usage) => usage.onlineMs / 60_000),
    created_time: toWireTime(profile, now()),
    transfer_data: byDay(days, toGib),
    payout: byDay(days, toPayout),
    search_interest: byDay(days, (usage) => usage.searches),
    contracts: byDay(days, (usage) => usage.sessions),
    clients: byDay(days, ({ day }) => consumersOn.get(day)?.length ?? 0),
    client_details: consumers.map(([consumerId, shares]) => ({
      client_id: consumerId,
      transfer_data: sumConsumerTransfer(shares, days),
    })),
  };
}

interface ProvidersWindow {
  readonly networkId: string;
  readonly hours: number;
  /** This client alone; undefined for every client of the network. */
  readonly clientId?: string | undefined;
}

async function listProviders(backend: Backend, { networkId, hours, clientId }: ProvidersWindow) {
  await backend.sample();
  const { profile, clients, usageHistory } = backend;
  const nowMs = backend.now();
  const sinceMs = nowMs - hours * hourMs;
  const providers = clients.listPages(networkId, clientId).map((page) => {
    const connectionsOf = usageHistory.connectionsIn(page.range, sinceMs);
    const usageOf = usageHistory.usageIn(page.range, sinceMs);
    const consumersOf = usageHistory.consumersIn(page.range, sinceMs);
    return page.clients.map(({ clientId, isOnline, provideMode }) => {
      const usage = sumUsage(usageOf.get(clientId) ?? []);
      return {
        client_id: clientId,
        connected: isOnline === 1,
        connected_events_last_24h: listConnectionEvents(
          connectionsOf.get(clientId) ?? [],
          sinceMs,
        ).map(({ atMs, connected }) => ({ event_time: toWireTime(profile, atMs), connected })),
        uptime_last_24h: usage.onlineMs / hourMs,
        transfer_data_last_24h: toGib(usage),
        payout_last_24h: toPayout(usage),
        search_interest_last_24h: usage.searches,
        contracts_last_24h: usage.sessions,
        clients_last_24h: consumersOf.get(clientId) ?? 0,
        provide_mode: profile.countsModes ? profile.modeNumbers[provideMode] : undefined,
      };
    });
  });
  return { created_time: toWireTime(profile, nowMs), providers };
}

const maxLookbackHours = 87_600;

/** GiB moved in both directions, by the peer's counters. */
export function toGib(usage: Usage): number {
  return (usage.rxBytes + usage.txBytes) / GIB;
}

export function toPayout(usage: Usage): number {
  return toGib(usage) * usdcPerGib;
}

/**
 * The whole hours of the requested window, between 1 and ten years.
 * @throws usage-invalid for a window that is not above zero
 */
export function limitLookback(lastN: number): number {
  if (!(lastN > 0)) throw refuse('last_n must be above zero.');
  return Math.min(Math.ceil(lastN), maxLookbackHours);
}

/** One figure of each hour, by `yyyy-mm-dd-hh` in UTC. */
export function byHour(
  hours: readonly HourUsage[],
  figure: (usage: Usage) => number,
): Record<string, number> {
  const toName = ({ hourMs }: HourUsage) =>
    new Date(hourMs).toISOString().slice(0, 13).replace('T', '-');
  return Object.fromEntries(hours.map((hour) => [toName(hour), figure(hour)]));
}

/** One figure of each day, by `yyyy-mm-dd` in UTC. */
export function byDay<Row extends { readonly day: number }>(
  days: readonly Row[],
  figure: (row: Row) => number,
) {
  return Object.fromEntries(
    days.map((row) => [new Date(row.day * dayMs).toISOString().slice(0, 10), figure(row)]),
  );
}

/** GiB of one consumer by day: its share of what moved on each day. */
export function sumConsumerTransfer(
  shares: readonly ConsumerDay[],
  days: readonly DayUsage[],
): Record<string, number> {
  const usageOf = new Map(days.map((usage) => [usage.day, usage]));
  return byDay(shares, ({ day, share }) => share * toGib(usageOf.get(day) ?? noUsage));
}

/** The beginnings and ends of connections since `sinceMs`, oldest first. */
export function listConnectionEvents(connections: readonly Connection[], sinceMs: number) {
  return connections
    .flatMap(({ connectedMs, disconnectedMs }) => [
      { atMs: connectedMs, connected: true },
      ...(disconnectedMs === null ? [] : [{ atMs: disconnectedMs, connected: false }]),
    ])
    .filter((event) => event.atMs >= sinceMs);
}
