import type { DoctorHost } from './host.ts';

/** True inside of a container, as engines mark it. */
export async function isContainer({ disk }: Pick<DoctorHost, 'disk'>): Promise<boolean> {
  const marks = await Promise.all(['/.dockerenv', '/run/.containerenv'].map(disk.isThere));
  return marks.includes(true);
}
