import type { WireResponse } from '../service/operations.ts';
import type { Client } from './clients.ts';
import { toWireList, toWireTime } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import { sumUsage, toConnectionEvents, toGib, toLookback, toPayout, toWindowStart } from './statistics.ts';
import { hourMs } from './usage.ts';

type Answer = WireResponse<'providers'>;
type WireProvider = NonNullable<Answer['providers']>[number];

/** stats/providers: the network's providers over a day. */
export function answerProviders(backend: Backend): Handler<'providers'> {
  return ({ network }) => toAnswer(backend, network.networkId, 24, (provider) => provider);
}

/** stats/providers-last-n: the same over `last_n` hours, without the figures about demand. */
export function answerProvidersLastN(backend: Backend): Handler<'providersLastN'> {
  return async ({ request, network }) => {
    const hours = toLookback(request.last_n, 'hour');
    if (hours === undefined) return { error: { message: 'last_n must be above zero.' } };
    return toAnswer(backend, network.networkId, hours, withoutDemand);
  };
}

async function toAnswer(
  backend: Backend,
  networkId: string,
  hours: number,
  select: (provider: WireProvider) => WireProvider,
): Promise<Answer> {
  await backend.sample();
  const providers = backend.clients.list(networkId).map((client) => select(toProvider(backend, client, hours)));
  return {
    created_time: toWireTime(backend.dialect, backend.now()),
    providers: toWireList(backend.dialect, providers),
  };
}

function toProvider(backend: Backend, client: Client, hours: number): WireProvider {
  const { dialect, usage } = backend;
  const sinceMs = backend.now() - hours * hourMs;
  const connections = usage.listConnections(client.clientId, sinceMs);
  const sum = sumUsage(usage.listHours(client.clientId, toWindowStart(backend.now(), hours)));
  const events = toConnectionEvents(connections, sinceMs).map(({ atMs, connected }) => ({
    event_time: toWireTime(dialect, atMs),
    connected,
  }));
  return {
    client_id: client.clientId,
    connected: connections.some((connection) => connection.disconnectedMs === undefined),
    connected_events_last_24h: toWireList(dialect, events),
    uptime_last_24h: sum.onlineMs / hourMs,
    transfer_data_last_24h: toGib(sum),
    payout_last_24h: toPayout(sum),
    search_interest_last_24h: 0,
    contracts_last_24h: sum.sessions,
    clients_last_24h: sum.sessions,
    provide_mode: dialect.profile.modeNumbers[client.provideMode],
  };
}

function withoutDemand(provider: WireProvider): WireProvider {
  const { search_interest_last_24h, contracts_last_24h, clients_last_24h, ...rest } = provider;
  return rest;
}
