import type { DatabaseSync } from 'node:sqlite';

/** A network that has provided something. */
interface Earner {
  readonly networkId: string;
  readonly networkName: string;
  /** 1 where the owner wants the name to be seen, else 0. */
  readonly isPublic: number;
  readonly providedBytes: number;
}

/** Who has provided the most. */
export interface Earners {
  /** The best of them, the greatest first; guests are none. */
  list(limit: number): readonly Earner[];
}

/** The earners of this database. */
export function createEarners(database: DatabaseSync): Earners {
  const best = database.prepare(
    `select network_id as networkId, network_name as networkName, is_public as isPublic, provided_bytes as providedBytes
     from network where kind = 'permanent' and provided_bytes > 0 order by provided_bytes desc, rowid limit ?`,
  );
  return { list: (limit) => best.all(limit) as unknown as readonly Earner[] };
}
