import type { WireResponse } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import type { ListedClient } from './clients.ts';
import { type ServedProfile, toWireTime } from './profile.ts';
import {
  byDay,
  byHour,
  findWindowStart,
  limitLookback,
  listConnectionEvents,
  sumConsumerTransfer,
  toGib,
  toPayout,
} from './statistics.ts';
import type { Connection } from './usage-history.ts';
import { dayMs, hourMs, sumUsage, toDay, type Usage } from './usage-unit.ts';

type WireProvider = NonNullable<WireResponse<'providers'>['providers']>[number];

/** What provider-last-90 looks back. */
const manyDays = 90;

/** What is said of single providers. */
export const providerStatisticsHandlers = {
  /** The network's providers over a day. */
  providers: (backend, { network }) =>
    listProviders(backend, { networkId: network.networkId, hours: 24, render: toWireProvider }),

  /** The same over `last_n` hours, without the figures about demand. */
  providersLastN: (backend, { request, network }) =>
    listProviders(backend, {
      networkId: network.networkId,
      hours: limitLookback(request.last_n, 'hour'),
      render(profile, record) {
        const { search_interest_last_24h, contracts_last_24h, clients_last_24h, ...rest } = toWireProvider(
          profile,
          record,
        );
        return rest;
      },
    }),

  /** One provider's hours and days. `last_n` counts hours, in production days. */
  async providerLastN(backend, { request, network }) {
    const unit = backend.profile.lookbackUnit;
    const lookback = limitLookback(request.last_n, unit);
    const client = backend.clients.get(network.networkId, request.client_id);
    await backend.sample();
    const sinceMs = findWindowStart(backend.now(), unit === 'day' ? lookback * 24 : lookback);
    const hours = backend.usageHistory.listHours(client.clientId, sinceMs);
    const uptime = byHour(hours, (usage) => usage.onlineMs / 60_000);
    return { lookback, uptime, ...describeDays(backend, client.clientId, sinceMs).figures };
  },

  /** One provider's days, today with them; its time online is minutes by day. */
  async providerLast90(backend, { request, network }) {
    const client = backend.clients.get(network.networkId, request.client_id);
    await backend.sample();
    const sinceMs = (toDay(backend.now()) - manyDays + 1) * dayMs;
    const { days, figures } = describeDays(backend, client.clientId, sinceMs);
    return { lookback: manyDays, uptime: byDay(days, (usage) => usage.onlineMs / 60_000), ...figures };
  },
} satisfies Partial<Handlers>;

/** One provider's days, and what is said by the day. */
function describeDays({ profile, usageHistory, now }: Backend, clientId: string, sinceMs: number) {
  const days = usageHistory.listDays(clientId, sinceMs);
  const consumerDays = usageHistory.listConsumerDays(clientId, sinceMs);
  const consumersOn = Map.groupBy(consumerDays, (row) => row.day);
  const consumers = [...Map.groupBy(consumerDays, (row) => row.consumerId)];
  const figures = {
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
  return { days, figures };
}

interface ProvidersRequest {
  readonly networkId: string;
  /** To look back, the current one with them. */
  readonly hours: number;
  readonly render: (profile: ServedProfile, record: ProviderRecord) => WireProvider;
}

/** What a provider did within the window. */
interface ProviderRecord {
  readonly client: ListedClient;
  readonly connections: readonly Connection[];
  /** The start of the window, in Unix milliseconds. */
  readonly sinceMs: number;
  readonly usage: Usage;
  readonly consumers: number;
}

async function listProviders(backend: Backend, { networkId, hours, render }: ProvidersRequest) {
  await backend.sample();
  const { profile, usageHistory } = backend;
  const nowMs = backend.now();
  const sinceMs = nowMs - hours * hourMs;
  const startMs = findWindowStart(nowMs, hours);
  const providers = Iterator.from(backend.clients.listPages(networkId)).map(({ clients, range }) => {
    const connectionsOf = usageHistory.connectionsIn(range, sinceMs);
    const usageOf = usageHistory.usageIn(range, startMs);
    const consumersOf = usageHistory.consumersIn(range, startMs);
    return clients.map((client) => {
      const connections = connectionsOf.get(client.clientId) ?? [];
      const usage = sumUsage(usageOf.get(client.clientId) ?? []);
      const consumers = consumersOf.get(client.clientId) ?? 0;
      return render(profile, { client, connections, sinceMs, usage, consumers });
    });
  });
  return { created_time: toWireTime(profile, nowMs), providers };
}

function toWireProvider(profile: ServedProfile, record: ProviderRecord) {
  const { client, connections, sinceMs, usage, consumers } = record;
  return {
    client_id: client.clientId,
    connected: client.isOnline === 1,
    connected_events_last_24h: listConnectionEvents(connections, sinceMs).map(({ atMs, connected }) => ({
      event_time: toWireTime(profile, atMs),
      connected,
    })),
    uptime_last_24h: usage.onlineMs / hourMs,
    transfer_data_last_24h: toGib(usage),
    payout_last_24h: toPayout(usage),
    search_interest_last_24h: usage.searches,
    contracts_last_24h: usage.sessions,
    clients_last_24h: consumers,
    provide_mode: profile.modeNumbers[client.provideMode],
  };
}
