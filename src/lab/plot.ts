import { renderSparkline } from '../lib/bars.ts';

/** A reading of a growing counter. */
export interface Reading {
  readonly bytes: number;
  readonly seconds: number;
}

/** Throughput between the readings as one line of bars, at most `width` of them, with the peak in Mbit/s. */
export function plotThroughput(readings: readonly Reading[], width: number): string {
  const rates = computeRates(readings, width);
  const peak = Math.max(...rates, 0);
  if (peak === 0) return '';
  return `${renderSparkline(rates, peak)}  peak ${Math.round(peak)} Mbit/s`;
}

function computeRates(readings: readonly Reading[], width: number): readonly number[] {
  const last = readings.at(-1)?.seconds ?? 0;
  const step = last / Math.max(1, Math.min(width, readings.length));
  const rates: number[] = [];
  for (let end = step; end <= last + step / 2 && rates.length < width && step > 0; end += step) {
    const bytes = bytesAt(readings, end) - bytesAt(readings, end - step);
    rates.push((bytes * 8) / step / 1e6);
  }
  return rates;
}

/** The counter at a time, in a straight line between the readings around it. */
function bytesAt(readings: readonly Reading[], seconds: number): number {
  let before: Reading = { bytes: 0, seconds: 0 };
  for (const reading of readings) {
    if (reading.seconds >= seconds) {
      const span = reading.seconds - before.seconds;
      return span === 0
        ? reading.bytes
        : before.bytes + ((reading.bytes - before.bytes) * (seconds - before.seconds)) / span;
    }
    before = reading;
  }
  return before.bytes;
}
