import type { GatewayLayout, LinePolicy } from '../gateway/policy.ts';
import { wireGuardOverheadBytes } from '../source/packet-bytes.ts';
import type { NftTable } from '../system/nft.ts';
import type { LineWay, LineWish } from './line-shaper.ts';
import type { WantedLine } from './state.ts';

/**
 * What the rules do for the line when it is held in this way. `table` shows which consumers have a
 * class now.
 */
export function planLine(
  { limitBits, isHouseholdFirst, isLowPriority }: WantedLine,
  way: LineWay,
  table: NftTable | undefined,
): LinePolicy {
  const consumers = ['classes4', 'classes6'].flatMap((name) => table?.sets.get(name) ?? []);
  // A queue that tells connections apart does so within each class, so no class for each connection
  // is needed.
  const isOfConnection = way?.leaf === 'bfifo' && consumers.length === 1;
  const isShaped = way !== undefined && (isHouseholdFirst || limitBits !== undefined);
  return {
    classOf: isShaped ? (isOfConnection ? 'connection' : 'consumer') : undefined,
    dropAboveBits: way === undefined ? limitBits : undefined,
    floodBits: limitBits && limitBits / 2,
    isLowPriority,
  };
}

/** The devices, and how many bytes each source puts around its packets. */
interface HeldSources {
  readonly layout: Pick<GatewayLayout, 'uplink' | 'devices'>;
  readonly sources: readonly { readonly overheadBytes: number }[];
}

/**
 * Where the line is held, over the devices that are there; undefined where nothing can cross it.
 */
export function planLineWish(
  { layout, sources }: HeldSources,
  limitBits: number | undefined,
): LineWish | undefined {
  const { uplink } = layout;
  const devices = layout.devices.filter(({ isThere }) => isThere).map(({ name }) => name);
  if (uplink === undefined || devices.length === 0) return undefined;
  const overheadBytes = Math.max(...sources.map((own) => own.overheadBytes), leastOverheadBytes);
  return { devices, uplink, limitBits, overheadBytes };
}

/** Where nothing better is known. */
const leastOverheadBytes = wireGuardOverheadBytes[4];
