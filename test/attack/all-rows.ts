import type { Row } from './row.ts';
import { destinationRows } from './rows/destinations.ts';
import { outsideRows } from './rows/from-outside.ts';
import { headerRows } from './rows/headers.ts';
import { portRows } from './rows/ports.ts';
import type { Way } from './world.ts';

/** Every row that is tried in each phase. */
export function listRows(_way: Way): readonly Row[] {
  return [...destinationRows, ...portRows, ...headerRows, ...outsideRows];
}
