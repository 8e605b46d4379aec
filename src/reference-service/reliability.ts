import type { NetworkHour, Registrations } from './network-history.ts';
import { hourMs, toHourStart } from './usage-unit.ts';

/** Whole hours of the window, before the current one. */
const wholeHours = 24;

/** What a network's reliability is computed from. */
interface ReliabilityRecord {
  readonly hours: readonly NetworkHour[];
  readonly registrations: readonly Registrations[];
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** The start of the window at this moment, both in Unix milliseconds. */
export function findReliabilityStart(nowMs: number): number {
  return toHourStart(nowMs) - wholeHours * hourMs;
}

/**
 * The window's hours, oldest first, each by its number in Unix time; of the current one counts what has passed. A weight,
 * 0 to 1, is the time that the clients which were registered by the hour's end were online, of what was possible.
 */
export function computeBuckets({ hours, registrations, nowMs }: ReliabilityRecord) {
  const startMs = findReliabilityStart(nowMs);
  const onlineOf = new Map(hours.map((hour) => [hour.hourMs, hour]));
  return Array.from({ length: wholeHours + 1 }, (_, index) => {
    const bucketMs = startMs + index * hourMs;
    const clients = registrations.reduce((sum, row) => (row.hourMs <= bucketMs ? sum + row.clients : sum), 0);
    const { onlineClients = 0, onlineMs = 0 } = onlineOf.get(bucketMs) ?? {};
    const possibleMs = clients * Math.min(hourMs, nowMs - bucketMs);
    const weight = possibleMs === 0 ? 0 : Math.min(1, onlineMs / possibleMs);
    return { number: bucketMs / hourMs, weight, onlineClients, clients };
  });
}

/**
 * What reliability in a country counts for, between 1 and 2: the fewer public providers are there, the more each of
 * them matters.
 */
export function computeCountryMultiplier(publicProviders: number): number {
  return 1 + 1 / (1 + publicProviders);
}
