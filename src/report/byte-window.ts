/** An ever-growing counter over the last 24 hours, in few enough readings to keep; the oldest first. */
export interface ByteWindow {
  /** `grownBytes` goes on when the counter itself starts again at 0. */
  readonly readings: readonly { readonly atMs: number; readonly grownBytes: number }[];
  /** The counter as last read. */
  readonly lastBytes: number;
}

const dayMs = 86_400_000;
const spacingMs = 5 * 60_000;

export function startByteWindow(atMs: number, bytes: number): ByteWindow {
  return { readings: [{ atMs, grownBytes: 0 }], lastBytes: bytes };
}

/** Adds a reading (monotonic ms, the counter's bytes); forgets all that is older than a day but the newest of it. */
export function addReading({ readings, lastBytes }: ByteWindow, atMs: number, bytes: number): ByteWindow {
  const reading = { atMs, grownBytes: (readings.at(-1)?.grownBytes ?? 0) + measureGrowth(lastBytes, bytes) };
  const before = readings.at(-2);
  const isClose = before !== undefined && atMs - before.atMs < spacingMs;
  const all = [...(isClose ? readings.slice(0, -1) : readings), reading];
  const firstInside = all.findIndex((candidate) => candidate.atMs > atMs - dayMs);
  return { readings: all.slice(Math.max(0, firstInside - 1)), lastBytes: bytes };
}

/** Bytes counted over the last 24 hours; undefined until the readings span them. */
export function countDayBytes({ readings }: ByteWindow): number | undefined {
  const first = readings[0];
  const last = readings.at(-1);
  if (first === undefined || last === undefined || last.atMs - first.atMs < dayMs) return undefined;
  return last.grownBytes - first.grownBytes;
}

/** How much a counter grew; one that is smaller than before started again at 0. */
export function measureGrowth(before: number, now: number): number {
  return now >= before ? now - before : now;
}
