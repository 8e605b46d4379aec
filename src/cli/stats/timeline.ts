export interface Timeline {
  /** `at` is ISO 8601, undefined where the service does not say; `isConnected` is true for coming. */
  readonly events: readonly { readonly at: string | undefined; readonly isConnected: boolean }[];
  readonly isConnected: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** Equal stretches that the time between is cut into. */
  readonly slots: number;
}

/** The share of each stretch in which the device was connected, oldest first. */
export function measureConnected(timeline: Timeline): readonly number[] {
  const { startMs, endMs, slots } = timeline;
  const connections = listConnections(timeline);
  // Whole milliseconds: a share of a fraction would fall short of 1 where all of it is meant.
  const bounds = Array.from({ length: slots + 1 }, (_, index) => {
    return startMs + Math.round((index * (endMs - startMs)) / slots);
  });
  return bounds.slice(1).map((toMs, index) => {
    const fromMs = bounds[index] ?? startMs;
    const overlaps = connections.map((own) => Math.max(0, Math.min(own.endMs, toMs) - Math.max(own.startMs, fromMs)));
    return overlaps.reduce((sum, ms) => sum + ms, 0) / (toMs - fromMs);
  });
}

/** When it was connected. Before its first event it was what that event ended. */
function listConnections({ events, isConnected, startMs, endMs }: Timeline) {
  const known = events
    .map((event) => ({ startMs: Date.parse(event.at ?? ''), isConnected: event.isConnected }))
    .filter((event) => event.startMs >= startMs && event.startMs <= endMs)
    .toSorted((one, other) => one.startMs - other.startMs);
  const before = known[0] === undefined ? isConnected : !known[0].isConnected;
  return [{ startMs, isConnected: before }, ...known]
    .map((turn, index) => ({ ...turn, endMs: known[index]?.startMs ?? endMs }))
    .filter((turn) => turn.isConnected);
}
