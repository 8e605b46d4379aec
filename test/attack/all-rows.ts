import type { Row } from './row.ts';
import { answerRows } from './rows/answers.ts';
import { destinationRows, listRoutedDestinationRows } from './rows/destinations.ts';
import { errorRows } from './rows/errors.ts';
import { fragmentRows } from './rows/fragments.ts';
import { fromHomeRows, listTracerouteRows } from './rows/from-home.ts';
import { outsideRows } from './rows/from-outside.ts';
import { headerRows } from './rows/headers.ts';
import { hiddenOptionRows } from './rows/hidden-options.ts';
import { ownPortRows } from './rows/late-answers.ts';
import { neighbourRows } from './rows/neighbours.ts';
import { closedAnswerRows, openRows } from './rows/open.ts';
import { optionRows } from './rows/options.ts';
import { toConnectRow, translatedSources } from './rows/over-connect.ts';
import { ownOutsideRows } from './rows/own-outside.ts';
import { portRangeRows } from './rows/port-ranges.ts';
import { portRows } from './rows/ports.ts';
import { protocolRows } from './rows/protocols.ts';
import { publicRows } from './rows/public.ts';
import { listRelatedRows } from './rows/related.ts';
import { routedRows } from './rows/routed.ts';
import { announcingRows, helperPortRows } from './rows/router-helpers.ts';
import { routingHeaderRows } from './rows/routing-headers.ts';
import { segmentRows } from './rows/segments.ts';
import { listSourceRows } from './rows/sources.ts';
import { unaskedRows } from './rows/unasked.ts';
import type { AttackWorld } from './world.ts';

/** Every row that is tried in each phase. */
export function listRows({ way, from, outerOf }: AttackWorld): readonly Row[] {
  const sources = listSourceRows(way);
  const rows = [
    ...destinationRows,
    ...listRoutedDestinationRows(way),
    ...ownOutsideRows,
    ...portRows,
    ...portRangeRows,
    ...segmentRows,
    ...protocolRows,
    ...(from === 'connect' ? sources.map(translatedSources) : sources),
    ...errorRows,
    ...listRelatedRows(way),
    ...neighbourRows,
    ...routingHeaderRows,
    ...headerRows,
    ...fragmentRows,
    ...outsideRows,
    ...answerRows,
    ...fromHomeRows,
    ...ownPortRows,
    ...unaskedRows,
    ...routedRows,
    ...helperPortRows,
    // The network's own protocol carries no packet header by header as the consumer sent it.
    ...(from === 'connect' ? [] : [...hiddenOptionRows, ...optionRows, ...listTracerouteRows(way)]),
    // The device chooses the address that its side of such a connection has.
    ...(from === 'connect' ? [] : [...openRows, ...announcingRows]),
  ];
  return from === 'connect' ? rows.map((row) => toConnectRow(row, outerOf)) : rows;
}

/** Every row, and what passes only while it provides. */
export function listClosedRows(world: AttackWorld): readonly Row[] {
  // As with the open rows above.
  const answers = world.from === 'connect' ? [] : closedAnswerRows;
  return [...publicRows, ...answers, ...listRows(world)];
}

/**
 * What holds with one layer gone: in a container the routes of the tunnel; on a host all that the
 * host's side keeps.
 */
export function listHeldTwice({ way }: AttackWorld, rows: readonly Row[]): readonly Row[] {
  if (way === 'container') return rows.filter(({ isHeldTwice }) => isHeldTwice === true);
  return rows.map((row) => ({ ...row, never: row.never.filter((point) => point !== 'device') }));
}
