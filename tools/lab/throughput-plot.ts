import { renderSparkline } from '../../src/lib/bars.ts';

/** A reading of a growing counter. */
export type Reading = Readonly<Record<'bytes' | 'seconds', number>>;

/** Throughput between the readings as one line of at most `width` bars, with the peak in Mbit/s. */
export function plotThroughput(readings: readonly Reading[], width: number): string {
  const count = Math.min(width, readings.length);
  const step = (readings.at(-1)?.seconds ?? 0) / count;
  const rates = Array.from({ length: count }, (_, index) => {
    const bytes = bytesAt(readings, (index + 1) * step) - bytesAt(readings, index * step);
    return (bytes * 8) / step / 1e6;
  });
  const peak = Math.max(...rates);
  return peak > 0 ? `${renderSparkline(rates, peak)}  peak ${Math.round(peak)} Mbit/s` : '';
}

/** The counter at a time, interpolated between the readings around it. */
function bytesAt(readings: readonly Reading[], seconds: number): number {
  const before = readings.findLast((reading) => reading.seconds < seconds) ?? {
    bytes: 0,
    seconds: 0,
  };
  const next = readings.find((reading) => reading.seconds >= seconds) ?? before;
  const span = next.seconds - before.seconds;
  return span === 0
    ? next.bytes
    : before.bytes + ((next.bytes - before.bytes) * (seconds - before.seconds)) / span;
}
