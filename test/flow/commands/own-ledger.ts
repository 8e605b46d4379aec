import { pickFigures } from '../../../src/report/ledger-figures.ts';
import { appendLines } from '../../../src/report/ledger-files.ts';
import { startAt, unitMs } from '../../../src/report/ledger-line.ts';

const MIB = 2 ** 20;

/**
 * What a device may have counted: more by day than by night, and nothing in one hour of each day.
 */
function makeHour(number: number) {
  const hour = number % 24;
  const share = (1 + ((hour + 6) % 12)) / 12;
  return {
    start: startAt('hour', number * unitMs.hour),
    ...pickFigures({
      providingSeconds: hour === 4 ? 900 : 3600,
      upBytes: 20 * MIB * share,
      downBytes: 180 * MIB * share,
      refusedPackets: hour === 7 ? 12 : 0,
      peakBytesPerSecond: 1.5 * MIB * share,
    }),
    sequence: number,
  };
}

/**
 * Fills the ledger of a state directory: so many days to the hour of `nowMs`, and what the service
 * says of those that are over.
 */
export async function fillLedger(directory: string, days: number, nowMs: number): Promise<void> {
  const lastHour = Math.floor(nowMs / unitMs.hour);
  const firstDay = Math.floor(lastHour / 24) - days;
  const hours = Array.from({ length: lastHour - firstDay * 24 + 1 }, (_, index) =>
    makeHour(firstDay * 24 + index),
  );
  const service = Array.from({ length: days }, (_, index) => {
    const own = hours.slice(index * 24, index * 24 + 24);
    const bytes = own.reduce((sum, { upBytes, downBytes }) => sum + upBytes + downBytes, 0);
    const start = startAt('day', (firstDay + index) * unitMs.day);
    return {
      start,
      serviceOnlineSeconds: 79_200,
      serviceBytes: Math.round(bytes * 0.97),
      servicePayoutUsdc: 0.1234,
    };
  });
  await appendLines(directory, [...hours, ...service]);
}
