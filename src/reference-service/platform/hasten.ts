import type { AdminRequests, HastenRequest } from './admin-requests.ts';
import type { PlatformClock } from './platform-clock.ts';
import type { Visits } from './visits.ts';

export interface HastenOptions {
  readonly read: AdminRequests<HastenRequest>['last'];
  readonly clock: Pick<PlatformClock, 'hasten' | 'keep'>;
  readonly visits: Pick<Visits, 'hasten'>;
}

/**
 * What is to be called now and then: it has the clock go as fast as the administrator wished last,
 * and tells those who are connected. What was wished of an earlier life is over.
 */
export function createHastening({ read, clock, visits }: HastenOptions): () => void {
  let doneId = read()?.id;
  return () => {
    const request = read();
    if (request === undefined || request.id === doneId) return;
    doneId = request.id;
    clock.hasten(request.rate);
    clock.keep();
    visits.hasten(request.rate);
  };
}
