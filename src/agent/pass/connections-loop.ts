import { TributaryError } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import {
  type ConnectionTable,
  isAlmostFull,
  observeConnectionTable,
  readHostTable,
} from '../../system/connection-table.ts';
import { outsideFile } from '../../system/public-addresses.ts';
import { every, type Loop } from '../run-loop.ts';
import type { Sections, Shared } from '../state.ts';

export interface ConnectionsLoopParts extends Pick<Shared, 'now'>, Pick<Sections, 'connections'> {
  readonly look?: () => Promise<SeenTables>;
}

/** What is known of the tables of connections on consumers' way. */
export interface SeenTables {
  /** The agent's namespace's. */
  readonly own: ConnectionTable | undefined;
  /** Of the host around it. */
  readonly host: ConnectionTable | undefined;
  /** False where that host keeps connections for longer than the namespace. */
  readonly isTimed: boolean;
}

const lookEachMs = 30_000;

/** Notes where a table of connections is about to be full, or keeps them for too long. */
export function createConnectionsLoop({
  connections,
  now,
  look = lookAtTables,
}: ConnectionsLoopParts): Loop {
  return every({
    name: 'connections',
    isOptional: true,
    isOnBeat: true,
    waitMs: lookEachMs,
    async work() {
      const tables = await look();
      connections.tracked = tables.own?.tracked;
      const found = explainTables(tables);
      connections.problem = continueProblem(connections.problem, found, now());
    },
  });
}

async function lookAtTables(): Promise<SeenTables> {
  const [own, host, { isTimed }] = await Promise.all([
    observeConnectionTable(),
    readHostTable(),
    outsideFile.read(),
  ]);
  return { own, host, isTimed };
}

/** Why the tables are not as they should be; undefined where they are. */
export function explainTables({ own, host, isTimed }: SeenTables): TributaryError | undefined {
  const full = [
    { where: 'This host', table: host },
    { where: "The agent's network", table: own },
  ].flatMap(({ where, table }) => (table && isAlmostFull(table) ? [{ where, ...table }] : []))[0];
  if (full !== undefined) {
    const message = `${full.where} tracks ${full.tracked} connections of ${full.most} at most. Once there is no more room, new ones fail, your own too.`;
    return new TributaryError('connections-full', message);
  }
  if (isTimed) return undefined;
  const message =
    "This host's kernel cannot forget consumers' connections as soon as the agent does (no ct timeout): it keeps silent ones for days.";
  return new TributaryError('connections-kept', message);
}
