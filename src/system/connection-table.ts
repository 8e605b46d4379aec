import { readFileIfThere } from './files.ts';
import { readSysctl } from './sysctl.ts';

/** How many connections the kernel tracks in a network namespace, and how many it would at most. */
export interface ConnectionTable {
  readonly tracked: number;
  readonly most: number;
}

/**
 * Where root notes, each minute, how full the host's table is: the agent's namespace cannot see it.
 */
export const noteOfHost = '/run/tributary-connections';

/** The table of this network namespace; undefined where the kernel tracks nothing. */
export async function observeConnectionTable(): Promise<ConnectionTable | undefined> {
  const names = ['nf_conntrack_count', 'nf_conntrack_max'];
  const texts = await Promise.all(names.map((name) => readSysctl(`net/netfilter/${name}`)));
  return parseConnectionTable(texts.join(' '));
}

/** The table of the host around this namespace, as root noted it; undefined without a note. */
export async function readHostTable(): Promise<ConnectionTable | undefined> {
  return parseConnectionTable((await readFileIfThere(noteOfHost)) ?? '');
}

/** Two numbers, as the kernel prints them. */
export function parseConnectionTable(text: string): ConnectionTable | undefined {
  const [, tracked, most] = /^(\d{1,9})\s+(\d{1,9})\s*$/.exec(text) ?? [];
  return Number(most) > 0 ? { tracked: Number(tracked), most: Number(most) } : undefined;
}

/** True shortly before the kernel refuses every new connection. */
export function isAlmostFull({ tracked, most }: ConnectionTable): boolean {
  return tracked >= most * 0.9;
}
