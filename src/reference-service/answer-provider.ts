import type { WireResponse } from '../service/operations.ts';
import { type Dialect, toWireList, toWireTime } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import { byDay, byHour, toConsumerTransfer, toGib, toLookback, toPayout, toWindowStart } from './statistics.ts';
import type { ConsumerDay } from './usage-history.ts';
import { type DayUsage, dayMs, toDay } from './usage-unit.ts';

type Answer = WireResponse<'providerLastN'>;

/** What provider-last-90 looks back. */
const manyDays = 90;

/** stats/provider-last-n: one provider's hours and days. `last_n` counts hours, in production days. */
export function answerProviderLastN(backend: Backend): Handler<'providerLastN'> {
  return async ({ request, network }) => {
    const { dialect, usageHistory } = backend;
    const unit = dialect.profile.lookbackUnit;
    const lookback = toLookback(request.last_n, unit);
    if (lookback === undefined) return { error: { message: 'last_n must be above zero.' } };
    const client = backend.clients.find(network.networkId, request.client_id);
    if (client === undefined) return { error: { message: 'Client does not exist.' } };
    await backend.sample();
    const nowMs = backend.now();
    const sinceMs = toWindowStart(nowMs, unit === 'day' ? lookback * 24 : lookback);
    const days = usageHistory.listDays(client.clientId, sinceMs);
    return {
      lookback,
      created_time: toWireTime(dialect, nowMs),
      uptime: byHour(usageHistory.listHours(client.clientId, sinceMs), (usage) => usage.onlineMs / 60_000),
      ...toDailyFigures(dialect, days, usageHistory.listConsumerDays(client.clientId, sinceMs)),
    };
  };
}

/** stats/provider-last-90: one provider's days, today with them; its time online is minutes by day. */
export function answerProviderLast90(backend: Backend): Handler<'providerLast90'> {
  return async ({ request, network }) => {
    const { dialect, usageHistory } = backend;
    const client = backend.clients.find(network.networkId, request.client_id);
    if (client === undefined) return { error: { message: 'Client does not exist.' } };
    await backend.sample();
    const nowMs = backend.now();
    const sinceMs = (toDay(nowMs) - manyDays + 1) * dayMs;
    const days = usageHistory.listDays(client.clientId, sinceMs);
    return {
      lookback: manyDays,
      created_time: toWireTime(dialect, nowMs),
      uptime: byDay(days, (usage) => usage.onlineMs / 60_000),
      ...toDailyFigures(dialect, days, usageHistory.listConsumerDays(client.clientId, sinceMs)),
    };
  };
}

/** What both say by the day. */
function toDailyFigures(dialect: Dialect, days: readonly DayUsage[], consumerDays: readonly ConsumerDay[]) {
  const consumersOn = Map.groupBy(consumerDays, (row) => row.day);
  const consumers = [...Map.groupBy(consumerDays, (row) => row.consumerId)];
  return {
    transfer_data: byDay(days, toGib),
    payout: byDay(days, toPayout),
    search_interest: byDay(days, (usage) => usage.searches),
    contracts: byDay(days, (usage) => usage.sessions),
    clients: byDay(days, ({ day }) => consumersOn.get(day)?.length ?? 0),
    client_details: toWireList(
      dialect,
      consumers.map(([consumerId, shares]) => ({
        client_id: consumerId,
        transfer_data: toConsumerTransfer(shares, days),
      })),
    ),
  } satisfies Answer;
}
