import { openLedgerFile } from '../../../src/report/ledger-file.ts';
import { areas, unitMs } from '../../../src/report/ledger-places.ts';
import { noGrowth, toEmptyRow, toRecordValues } from '../../../src/report/ledger-row.ts';

const MIB = 2 ** 20;

/** What a device may have counted: more by day than by night, and nothing in one hour of each day. */
function toHour(number: number) {
  const hour = number % 24;
  const share = (1 + ((hour + 6) % 12)) / 12;
  return {
    ...toEmptyRow(number, noGrowth),
    providingSeconds: hour === 4 ? 900 : 3600,
    upBytes: Math.round(20 * MIB * share),
    downBytes: Math.round(180 * MIB * share),
    refusedPackets: hour === 7 ? 12 : 0,
    peakBytesPerSecond: Math.round(1.5 * MIB * share),
  };
}

/** Fills the ledger of a state directory: so many days to the hour of `nowMs`, of which hours of the last ten. */
export async function fillLedger(directory: string, days: number, nowMs: number): Promise<void> {
  const file = openLedgerFile(directory, () => undefined);
  const lastHour = Math.floor(nowMs / unitMs.hour);
  const today = Math.floor(lastHour / 24);
  let sequence = 0;
  for (let number = Math.max((today - days) * 24, lastHour - 240); number <= lastHour; number += 1) {
    sequence += 1;
    await file.write(areas.hour, { ...toRecordValues(toHour(number), sequence, 'hour'), number }, 0);
  }
  for (let number = today - days; number < today; number += 1) {
    const hours = Array.from({ length: 24 }, (_, hour) => toHour(number * 24 + hour));
    const sum = (read: (row: ReturnType<typeof toHour>) => number) => hours.reduce((all, row) => all + read(row), 0);
    const row = {
      ...toEmptyRow(number, noGrowth),
      providingSeconds: sum((hour) => hour.providingSeconds),
      upBytes: sum((hour) => hour.upBytes),
      downBytes: sum((hour) => hour.downBytes),
      refusedPackets: sum((hour) => hour.refusedPackets),
      peakBytesPerSecond: Math.max(...hours.map((hour) => hour.peakBytesPerSecond)),
    };
    await file.write(areas.day, { ...toRecordValues(row, sequence, 'day'), number }, 0);
    const service = { onlineSeconds: 79_200, bytes: Math.round((row.upBytes + row.downBytes) * 0.97) };
    await file.write(areas.serviceDay, { ...service, payoutMicroUsdc: 123_400, number }, 0);
  }
}
