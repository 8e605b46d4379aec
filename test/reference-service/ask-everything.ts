import type { UsageHistory } from '../../src/reference-service/usage-history.ts';

/** Asks the usage book all that it can answer. */
export function askEverything(history: UsageHistory): void {
  const range = { networkId: 'home', afterSequence: 0, lastSequence: 9 };
  history.listHours('client', 0);
  history.listDays('client', 0);
  history.listConsumerDays('client', 0);
  history.usageIn(range, 0);
  history.consumersIn(range, 0);
  history.connectionsIn(range, 0);
  history.listEarners(9);
  history.listNetworkHours('home', 0);
  history.listRegistrations('home', 0);
}
