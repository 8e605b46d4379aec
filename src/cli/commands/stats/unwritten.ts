import * as z from 'zod';
import { hourMs } from '../../../lib/units.ts';
import { type FigureName, ledgerFigures, pickFigures } from '../../../report/ledger-figures.ts';
import { type LedgerLine, startAt } from '../../../report/ledger-line.ts';
import { askAgent } from '../../../status/socket-client.ts';
import type { CommandContext, PathOptions } from '../../frame/context.ts';
import { startOfHour } from './figures.ts';

const count = z.number().min(0).default(0);
type Counts = Record<FigureName, typeof count>;
const counts = Object.fromEntries([...ledgerFigures].map(({ name }) => [name, count])) as Counts;
const historyAnswer = z.object({ rows: z.array(z.object({ start: z.iso.datetime(), ...counts })) });

/**
 * The hours that a running agent has counted but not written, because at rest it writes once an
 * hour. Empty if no agent runs or answers.
 */
export async function readUnwritten(
  options: PathOptions,
  context: CommandContext,
): Promise<readonly LedgerLine[]> {
  const since = new Date(startOfHour(context.now().getTime()) - hourMs).toISOString();
  try {
    const path = `/history.json?unit=hour&since=${since}`;
    const { rows } = historyAnswer.parse(
      await askAgent(await context.resolvePlaces(options), { method: 'GET', path }),
    );
    return rows.map((row) => ({
      start: startAt('hour', Date.parse(row.start)),
      ...pickFigures(row),
    }));
  } catch {
    return [];
  }
}
