import type { AdminRequests, DrainRequest } from './admin-requests.ts';
import type { LineTime } from './line-test.ts';
import type { Visits } from './visits.ts';

/**
 * A host that drains: its clients are asked to come back by another, and after a while the sockets
 * that are still there are ended. New ones find the next host, as behind a balancer of load, unless
 * the administrator wants them refused for a while.
 */
export interface Drain {
  /** Looks for a wish of the administrator, and goes on with the last one. */
  step(): void;
  /** Whether upgrades are refused now. */
  isRefusing(): boolean;
}

export interface DrainOptions {
  readonly read: AdminRequests<DrainRequest>['last'];
  readonly clocks: () => LineTime;
  readonly visits: Pick<Visits, 'drain' | 'endDrained'>;
}

/** When clients are asked to move: from two seconds on, each host at a time of its own. */
const soonestMoveMs = 2000;
const moveSpreadMs = 4000;
/** By the platform's clock: how long the host goes on. */
const windowMs = 120_000;

export function createDrain({ read, clocks, visits }: DrainOptions): Drain {
  /** One that an earlier life carried out is not repeated. */
  let doneId = read()?.id;
  let refuseUntil = Number.NEGATIVE_INFINITY;
  let endAt = Number.POSITIVE_INFINITY;

  return {
    step() {
      const request = read();
      const { now, platformNow } = clocks();
      if (request !== undefined && request.id !== doneId) {
        doneId = request.id;
        refuseUntil = now + request.refuseSeconds * 1000;
        endAt = platformNow + windowMs;
        visits.drain(now + soonestMoveMs + Math.floor(Math.random() * moveSpreadMs));
      }
      if (platformNow < endAt) return;
      endAt = Number.POSITIVE_INFINITY;
      visits.endDrained();
    },
    isRefusing: () => clocks().now < refuseUntil,
  };
}
