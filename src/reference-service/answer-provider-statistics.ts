import type { Backend, Handlers } from './backend.ts';
import { toWireTime } from './profile.ts';
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
import { dayMs, hourMs, sumUsage, toDay } from './usage-unit.ts';

/** What provider-last-90 looks back. */
const manyDays = 90;

/** What is said of single providers. */
export const providerStatisticsHandlers = {
  /** The network's providers over a day. */
  providers: (backend, { network }) => listProviders(backend, network.networkId, 24),

  /** The same over `last_n` hours, without the figures about demand. */
  async providersLastN(backend, { request, network }) {
    const hours = limitLookback(request.last_n, 'hour');
    const { created_time, providers } = await listProviders(backend, network.networkId, hours);
    const withoutDemand = providers.map((page) =>
      page.map(({ search_interest_last_24h, contracts_last_24h, clients_last_24h, ...provider }) => provider),
    );
    return { created_time, providers: withoutDemand };
  },

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

/** The providers of a network in the last hours, the current one with them, by the page. */
async function listProviders(backend: Backend, networkId: string, hours: number) {
  await backend.sample();
  const { profile, clients, usageHistory } = backend;
  const nowMs = backend.now();
  const sinceMs = nowMs - hours * hourMs;
  const startMs = findWindowStart(nowMs, hours);
  const providers = Iterator.from(clients.listPages(networkId)).map((page) => {
    const connectionsOf = usageHistory.connectionsIn(page.range, sinceMs);
    const usageOf = usageHistory.usageIn(page.range, startMs);
    const consumersOf = usageHistory.consumersIn(page.range, startMs);
    return page.clients.map(({ clientId, isOnline, provideMode }) => {
      const usage = sumUsage(usageOf.get(clientId) ?? []);
      return {
        client_id: clientId,
        connected: isOnline === 1,
        connected_events_last_24h: listConnectionEvents(connectionsOf.get(clientId) ?? [], sinceMs).map(
          ({ atMs, connected }) => ({ event_time: toWireTime(profile, atMs), connected }),
        ),
        uptime_last_24h: usage.onlineMs / hourMs,
        transfer_data_last_24h: toGib(usage),
        payout_last_24h: toPayout(usage),
        search_interest_last_24h: usage.searches,
        contracts_last_24h: usage.sessions,
        clients_last_24h: consumersOf.get(clientId) ?? 0,
        provide_mode: profile.modeNumbers[provideMode],
      };
    });
  });
  return { created_time: toWireTime(profile, nowMs), providers };
}
