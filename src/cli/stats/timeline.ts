/** A device that came or went. */
export interface ConnectionEvent {
  /** ISO 8601; null where the service does not say. */
  readonly at: string | null;
  /** True for coming. */
  readonly isConnected: boolean;
}

interface TimelineParts {
  readonly events: readonly ConnectionEvent[];
  /** How it stands at the end. */
  readonly isConnected: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** Equal stretches that the time between is cut into. */
  readonly slots: number;
}

/** The share of each stretch in which the device was connected, oldest first. */
export function toTimeline({ events, isConnected, startMs, endMs, slots }: TimelineParts): readonly number[] {
  const stretches = toStretches(events, isConnected, { startMs, endMs });
  // Whole milliseconds: a share of a fraction would fall short of 1 where all of it is meant.
  const toBoundary = (index: number) => startMs + Math.round((index * (endMs - startMs)) / slots);
  return Array.from({ length: slots }, (_, index) => {
    const fromMs = toBoundary(index);
    const toMs = toBoundary(index + 1);
    const connectedMs = stretches.reduce(
      (sum, own) => sum + Math.max(0, Math.min(own.endMs, toMs) - Math.max(own.startMs, fromMs)),
      0,
    );
    return connectedMs / (toMs - fromMs);
  });
}

interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** When it was connected. Before its first event it was what that event ended. */
function toStretches(events: readonly ConnectionEvent[], isConnected: boolean, window: Stretch): readonly Stretch[] {
  const known = events
    .map((event) => ({ atMs: Date.parse(event.at ?? ''), isConnected: event.isConnected }))
    .filter(({ atMs }) => atMs >= window.startMs && atMs <= window.endMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  const before = known[0] === undefined ? isConnected : !known[0].isConnected;
  const turns = [{ atMs: window.startMs, isConnected: before }, ...known];
  return turns
    .map((turn, index) => ({ ...turn, endMs: turns[index + 1]?.atMs ?? window.endMs }))
    .filter((turn) => turn.isConnected)
    .map(({ atMs, endMs }) => ({ startMs: atMs, endMs }));
}
