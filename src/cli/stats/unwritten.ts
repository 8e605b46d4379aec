import * as z from 'zod';
import { type LedgerRow, noGrowth } from '../../report/ledger-row.ts';
import { askAgent } from '../../status/socket-client.ts';
import type { CommandContext, PathOptions } from '../context.ts';
import { hourMs, startOfHour } from './window.ts';

const count = z.number().min(0);
const counts = { providingSeconds: count, upBytes: count, downBytes: count, refusedPackets: count };
const historyAnswer = z.object({ rows: z.array(z.object({ start: z.iso.datetime(), ...counts })) });

/** The ledger is written once an hour at rest: a running agent knows of more. No rows where none runs or answers. */
export async function readUnwritten(options: PathOptions, context: CommandContext): Promise<readonly LedgerRow[]> {
  const since = new Date(startOfHour(context.now().getTime()) - hourMs).toISOString();
  try {
    const socketPaths = await context.resolveSocketPaths(options);
    const { rows } = historyAnswer.parse(await askAgent(socketPaths, 'GET', `/history.json?unit=hour&since=${since}`));
    return rows.map(({ start, ...row }) => {
      return { ...noGrowth, ...row, number: Math.floor(Date.parse(start) / hourMs), totals: noGrowth };
    });
  } catch {
    return [];
  }
}
