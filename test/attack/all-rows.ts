import type { Row } from './row.ts';
import { destinationRows } from './rows/destinations.ts';
import { portRows } from './rows/ports.ts';
import type { Way } from './world.ts';

/** Every row that is tried while the gateway is open. */
export function listRows(_way: Way): readonly Row[] {
  return [...destinationRows, ...portRows];
}
