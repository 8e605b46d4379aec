import type { Encoder } from './encoder.ts';
import type { Scanner } from './scanner.ts';

/** A Tag holds one time; one without a time is 0, and still is a tag. */
export function scanTag(scanner: Scanner): number {
  let sentAt = 0;
  while (scanner.next()) if (scanner.field === 1) sentAt = scanner.integer();
  return sentAt;
}

export function writeTag(encoder: Encoder, field: number, sentAt: number | undefined): void {
  if (sentAt === undefined) return;
  const end = encoder.mark();
  encoder.integer(1, sentAt);
  encoder.wrap(field, end);
}
