import { openConnections } from './open-connections.ts';
import { attackAddresses, type Packet, udp } from './packet-data.ts';
import type { Heard } from './packet-process.ts';
import type { Row } from './row.ts';
import type { AttackWorld } from './world.ts';

/** What came of a row. */
export interface Outcome {
  readonly row: Row;
  readonly sent: number;
  /** All places where it was heard, also those where it may be. */
  readonly heard: readonly Heard[];
  /** Counters of refusals that rose meanwhile, and by how much. */
  readonly counters: Readonly<Record<string, number>>;
}

/** The places where it was heard and may not be. */
export function findThrough({ row, heard }: Outcome): readonly Heard[] {
  return heard.filter(({ point }) => (row.never as readonly string[]).includes(point));
}

/** How long something that is sent late, as after a neighbour was asked for, may take. */
const lateMs = 1200;

/**
 * Tries rows one after the other where the gateway is open: after each, a packet that has to pass
 * shows that all before it were dealt with. What was heard late is added to the row that it is of.
 */
export function runRows(world: AttackWorld, rows: readonly Row[]): Promise<readonly Outcome[]> {
  const until = { packet: sentinel, from: 'tunnel', point: 'internet' };
  return run(world, rows, { settleMs: 2, until, countsEachRow: world.countsEachRow });
}

/** Tries rows one after the other whether or not anything passes. */
export function runRowsAtOnce(
  world: AttackWorld,
  rows: readonly Row[],
): Promise<readonly Outcome[]> {
  return run(world, rows, { settleMs: 1, countsEachRow: false });
}

interface Manner {
  readonly settleMs: number;
  readonly until?: { readonly packet: Packet; readonly from: string; readonly point: string };
  /** Otherwise the first row has the counters of all of them. */
  readonly countsEachRow: boolean;
}

async function run(
  world: AttackWorld,
  rows: readonly Row[],
  manner: Manner,
): Promise<readonly Outcome[]> {
  const { countsEachRow, ...how } = manner;
  const first = world.packets.number(rows.length);
  const outcomes: Outcome[] = [];
  await openConnections(world, rows);
  const start = await readRefusals(world);
  let before = start;
  for (const [index, row] of rows.entries()) {
    const result = await world.packets.send({ ...toCommand(row, first + index), ...how });
    const after = countsEachRow ? await readRefusals(world) : before;
    outcomes.push({ row, ...result, counters: subtract(after, before) });
    before = after;
  }
  const whole = await addLate(world, first, outcomes);
  if (countsEachRow) return whole;
  const counters = subtract(await readRefusals(world), start);
  return whole.map((outcome, index) => (index === 0 ? { ...outcome, counters } : outcome));
}

function toCommand(row: Row, number: number) {
  return { row: number, steps: row.steps, marks: row.marks ?? [] };
}

async function addLate(
  world: AttackWorld,
  first: number,
  outcomes: readonly Outcome[],
): Promise<readonly Outcome[]> {
  await new Promise((resolve) => setTimeout(resolve, lateMs));
  const late = await world.packets.heard();
  return outcomes.map((outcome, index) => ({
    ...outcome,
    heard: [...outcome.heard, ...late.filter(({ row }) => row === first + index)],
  }));
}

/** A packet that passes wherever anything does. */
const sentinel: Packet = udp(attackAddresses.public4, 9999, {}, { sport: 39_999 });

/** Refused packets by counter; none where there is no table now. */
export async function readRefusals(world: AttackWorld): Promise<Readonly<Record<string, number>>> {
  const text = await world.inside('nft', '-j', 'list', 'counters').catch(() => '{"nftables":[]}');
  const { nftables } = JSON.parse(text) as {
    nftables: readonly { counter?: { name: string; packets: number } }[];
  };
  const counters = nftables.flatMap(({ counter }) => counter ?? []);
  return Object.fromEntries(
    counters
      .filter(({ name }) => name.startsWith('refused'))
      .map(({ name, packets }) => [name, packets]),
  );
}

/** What rose, and by how much. */
export function subtract(
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
) {
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, packets]) => [name, packets - (before[name] ?? 0)] as const)
      .filter(([, packets]) => packets > 0),
  );
}
