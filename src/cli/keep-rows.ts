import { TributaryError } from '../lib/errors.ts';

const mostBytes = 16 * 1024 ** 2;
/** What a row costs besides, whose fields are mostly absent. */
const costOfRow = 300;

/** Hands rows through that a command holds until it has all of them: as many as fit in memory. @throws answer-too-large */
export function createRowKeeper(what: string): <Row>(row: Row) => Row {
  let bytes = 0;
  return (row) => {
    bytes += costOfRow + JSON.stringify(row).length;
    if (bytes <= mostBytes) return row;
    throw new TributaryError('answer-too-large', `the service lists more ${what} than can be shown at once`);
  };
}
