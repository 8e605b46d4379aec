import { toWireList, toWireTime } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import { byDay, byHour, toGib, toLookback, toPayout, toWindowStart } from './statistics.ts';

/** stats/provider-last-n: one provider's hours and days. `last_n` counts hours, in production days. */
export function answerProviderLastN(backend: Backend): Handler<'providerLastN'> {
  return async ({ request, network }) => {
    const { dialect } = backend;
    const unit = dialect.profile.lookbackUnit;
    const lookback = toLookback(request.last_n, unit);
    if (lookback === undefined) return { error: { message: 'last_n must be above zero.' } };
    const client = backend.clients.find(network.networkId, request.client_id);
    if (client === undefined) return { error: { message: 'Client does not exist.' } };
    await backend.sample();
    const sinceMs = toWindowStart(backend.now(), unit === 'day' ? lookback * 24 : lookback);
    const hours = backend.usage.listHours(client.clientId, sinceMs);
    return {
      lookback,
      created_time: toWireTime(dialect, backend.now()),
      uptime: byHour(hours, (usage) => usage.onlineMs / 60_000),
      transfer_data: byDay(hours, toGib),
      payout: byDay(hours, toPayout),
      search_interest: byDay(hours, () => 0),
      contracts: byDay(hours, (usage) => usage.sessions),
      clients: byDay(hours, (usage) => usage.sessions),
      // Who the consumers were is nobody's business: there is one, and no record of it.
      client_details: toWireList(dialect, []),
    };
  };
}
