import { totalBytes, type Usage } from './usage.ts';

/**
 * A restart loses nothing that is unwritten, because the kernel goes on counting. Of so many bytes
 * and of this share of a cap, the smaller is noted ahead on the disk, so that a power cut forgets
 * no use. Without a cap it is what a power cut may take.
 */
const worthWritingBytes = 64 * 1024 ** 2;
const worthWritingOfCap = 1 / 1000;

/** The bytes that are worth a write. */
export function leastWorthWriting(capBytes: number | undefined): number {
  return Math.min(worthWritingBytes, (capBytes ?? Number.POSITIVE_INFINITY) * worthWritingOfCap);
}

interface Reserved {
  /** What to write: the usage, with the use that is noted ahead of it. */
  readonly value: Usage;
  /** True where what was written reaches less far than the traffic may until the next look. */
  readonly isDue: boolean;
}

/**
 * Notes the use of a cap ahead of it. Where more than a step was used since the last look, the next
 * step is twice as large as that, or a fast line would be ahead of the disk.
 */
export function createReservation() {
  let lookedAt: number | undefined;
  let last: { readonly usage: Usage; readonly value: Usage } | undefined;
  return (
    usage: Usage,
    { written, capBytes }: { readonly written: Usage | undefined; readonly capBytes: number },
  ): Reserved => {
    const total = totalBytes(usage);
    const used = total - (lookedAt ?? total);
    lookedAt = total;
    const step = Math.ceil(leastWorthWriting(capBytes));
    const left = (written?.reservedBytes ?? 0) - total;
    const isDue =
      written?.periodStart !== usage.periodStart ||
      written.baseBytes !== usage.baseBytes ||
      left < Math.max(step / 2, used);
    if (!isDue && last?.usage === usage) return { value: last.value, isDue };
    const reservedBytes = isDue ? total + Math.max(step, 2 * used) : written.reservedBytes;
    const value = { ...usage, reservedBytes };
    last = { usage, value };
    return { value, isDue };
  };
}
