import { openConnections } from './open-connections.ts';
import type { Row } from './row.ts';
import { type Outcome, readRefusals, subtract } from './run-rows.ts';
import type { AttackWorld } from './world.ts';

/** Packets a second, over all rows. */
const perSecond = 400;
/** How long what is still on its way may take. */
const lateMs = 700;

/** Sends the rows round and round while something happens: what was heard of them meanwhile. */
export async function streamWhile(
  world: AttackWorld,
  rows: readonly Row[],
  act: () => Promise<void>,
): Promise<readonly Outcome[]> {
  // A row of several turns is an order that a stream does not keep.
  const simple = rows.filter(({ steps }) => steps.length === 1);
  const first = world.packets.number(simple.length);
  await openConnections(world, simple);
  const before = await readRefusals(world);
  const stop = await world.packets.stream(
    simple.map((row, index) => ({
      row: first + index,
      from: row.steps[0]?.from ?? 'tunnel',
      packets: row.steps[0]?.packets ?? [],
      marks: row.marks ?? [],
    })),
    perSecond,
  );
  let sent: ReadonlyMap<number, number>;
  try {
    await act();
  } finally {
    sent = await stop();
  }
  await new Promise((resolve) => setTimeout(resolve, lateMs));
  const [heard, after] = [await world.packets.heard(), await readRefusals(world)];
  // Counters are of all rows together: the first line has them.
  return simple.map((row, index) => ({
    row,
    sent: sent.get(first + index) ?? 0,
    heard: heard.filter((one) => one.row === first + index),
    counters: index === 0 ? subtract(after, before) : {},
  }));
}
