import { fstatSync } from 'node:fs';

/** What a descriptor leads to, as systemd names it in JOURNAL_STREAM: device and inode. */
export function nameStream(descriptor: 1 | 2): string {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return `${dev}:${ino}`;
}
