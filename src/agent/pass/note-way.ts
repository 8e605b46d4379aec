import type { DataPath } from '../../data-path/reconcile.ts';
import { readRefusals } from '../../data-path/state.ts';
import type { Problem } from '../../health/problem.ts';

/** What passes noted of packets that leave by another interface than the uplink. */
export interface WayNotes {
  /** Refused there since the table was made. */
  readonly packets: number;
  /** When the first and the last pass saw more of them; undefined where none did lately. */
  readonly firstAt?: Date | undefined;
  readonly lastAt?: Date | undefined;
  readonly problem?: Problem<'not-uplink'> | undefined;
}

/** Some are refused whenever the uplink changes: within this time (ms) that is no news. */
const leastMs = 10_000;
/** They are over where none was refused for this time (ms). */
const overMs = 120_000;

/** The notes after another pass. @param now the present time */
export function noteWay(
  before: WayNotes | undefined,
  { uplink, table, strays }: Pick<DataPath, 'uplink' | 'table' | 'strays'>,
  now: Date,
): WayNotes {
  const known = before?.packets ?? 0;
  const packets = table === undefined ? known : (readRefusals(table)['not-uplink'] ?? 0);
  const seen = see(before, { isMore: before !== undefined && packets > known, now });
  const isAstray = strays.length > 0 || hasLasted(seen);
  if (uplink === undefined || !isAstray) return { packets, ...seen };
  const others = strays.length === 0 ? 'another interface' : strays.join(' and ');
  const message = `Packets to the Internet leave by ${others} and not by the uplink ${uplink}, so those of consumers are refused.`;
  const since = before?.problem?.since ?? seen.firstAt ?? now;
  return { packets, ...seen, problem: { code: 'not-uplink', message, since } };
}

type Seen = Pick<WayNotes, 'firstAt' | 'lastAt'>;

function see(
  before: Seen = {},
  { isMore, now }: { readonly isMore: boolean; readonly now: Date },
): Seen {
  const age = now.getTime() - (before.lastAt?.getTime() ?? 0);
  // A clock that was set back ends it too.
  const { firstAt, lastAt } = age > overMs || age < 0 ? {} : before;
  return isMore ? { firstAt: firstAt ?? now, lastAt: now } : { firstAt, lastAt };
}

function hasLasted({ firstAt, lastAt }: Seen): boolean {
  return (lastAt?.getTime() ?? 0) - (firstAt?.getTime() ?? 0) >= leastMs;
}
