import type { WireResponse } from '../service/operations.ts';
import type { ListedClient } from './client-pages.ts';
import { type Dialect, toWireList, toWireTime } from './dialect.ts';
import type { Backend, Handler, HandlerAnswer } from './handler.ts';
import { toWirePages } from './pages.ts';
import { toConnectionEvents, toGib, toLookback, toPayout, toWindowStart } from './statistics.ts';
import type { Connection } from './usage-history.ts';
import { hourMs, sumUsage, type Usage } from './usage-unit.ts';

type WireProvider = NonNullable<WireResponse<'providers'>['providers']>[number];

/** stats/providers: the network's providers over a day. */
export function answerProviders(backend: Backend): Handler<'providers'> {
  return ({ network }) => toAnswer(backend, { networkId: network.networkId, hours: 24, toWire: toProvider });
}

/** stats/providers-last-n: the same over `last_n` hours, without the figures about demand. */
export function answerProvidersLastN(backend: Backend): Handler<'providersLastN'> {
  return async ({ request, network }) => {
    const hours = toLookback(request.last_n, 'hour');
    if (hours === undefined) return { error: { message: 'last_n must be above zero.' } };
    return toAnswer(backend, { networkId: network.networkId, hours, toWire: withoutDemand });
  };
}

interface ProvidersWish {
  readonly networkId: string;
  /** To look back, the current one with them. */
  readonly hours: number;
  readonly toWire: (dialect: Dialect, record: ProviderRecord) => WireProvider;
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

async function toAnswer(backend: Backend, wish: ProvidersWish): Promise<HandlerAnswer<'providers'>> {
  await backend.sample();
  const { dialect, usageHistory } = backend;
  const nowMs = backend.now();
  const sinceMs = nowMs - wish.hours * hourMs;
  const startMs = toWindowStart(nowMs, wish.hours);
  const pages = Iterator.from(backend.clientPages(wish.networkId)).map(({ clients, range }) => {
    const connectionsOf = usageHistory.connectionsIn(range, sinceMs);
    const usageOf = usageHistory.usageIn(range, startMs);
    const consumersOf = usageHistory.consumersIn(range, startMs);
    return clients.map((client) => {
      const connections = connectionsOf.get(client.clientId) ?? [];
      const usage = sumUsage(usageOf.get(client.clientId) ?? []);
      const consumers = consumersOf.get(client.clientId) ?? 0;
      return wish.toWire(dialect, { client, connections, sinceMs, usage, consumers });
    });
  });
  return { created_time: toWireTime(dialect, nowMs), providers: toWirePages(dialect, pages) };
}

function toProvider(
  dialect: Dialect,
  { client, connections, sinceMs, usage, consumers }: ProviderRecord,
): WireProvider {
  const events = toConnectionEvents(connections, sinceMs).map(({ atMs, connected }) => ({
    event_time: toWireTime(dialect, atMs),
    connected,
  }));
  return {
    client_id: client.clientId,
    connected: client.isOnline,
    connected_events_last_24h: toWireList(dialect, events),
    uptime_last_24h: usage.onlineMs / hourMs,
    transfer_data_last_24h: toGib(usage),
    payout_last_24h: toPayout(usage),
    search_interest_last_24h: usage.searches,
    contracts_last_24h: usage.sessions,
    clients_last_24h: consumers,
    provide_mode: dialect.profile.modeNumbers[client.provideMode],
  };
}

function withoutDemand(dialect: Dialect, record: ProviderRecord): WireProvider {
  const provider = toProvider(dialect, record);
  const { search_interest_last_24h, contracts_last_24h, clients_last_24h, ...rest } = provider;
  return rest;
}
