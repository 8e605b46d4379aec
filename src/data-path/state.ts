import type { GivenCeilings } from '../gateway/ceilings.ts';
import { type ForwardedTotals, type GatewayPolicy, refusals } from '../gateway/policy.ts';
import { countRefusedProbes } from '../gateway/self-test-verdict.ts';
import type { StrictSetting } from '../gateway/strictness.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { SourceDriver, SourceWish } from '../source/source.ts';
import type { AddressList } from '../system/address-list.ts';
import type { Exec } from '../system/exec.ts';
import type { NftTable } from '../system/nft.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import type { LineShaper } from './line-shaper.ts';

/** What the owner wants for the line. */
export interface WantedLine {
  /**
   * The most that sharing may put on the line each way, in bits per second; undefined without a
   * limit.
   */
  readonly limitBits: number | undefined;
  /** True where sharing yields to the household. */
  readonly isHouseholdFirst: boolean;
  readonly isLowPriority: boolean;
}

/**
 * What the data path should be, except for what is read from the machine. It is plain data, so it
 * can be compared, logged and printed.
 */
export interface DesiredDataPath {
  /** One for each source; a source without one is taken down. */
  readonly sources: readonly SourceWish[];
  readonly configuredUplink: string | undefined;
  readonly gateway: Pick<
    GatewayPolicy,
    'allowDestinations' | 'denyDestinations' | 'blockedPorts' | 'openProtocols' | 'pagePort'
  > & {
    readonly connections?: GivenCeilings;
  };
  readonly line: WantedLine;
  readonly denied: readonly AddressList[];
  /** Where the strict rules hold follows from the owner's setting and the present mode. */
  readonly strict: { readonly setting: StrictSetting; readonly mode: ProvideMode };
  /** What the strict rules refuse by address. */
  readonly badAddresses: readonly AddressList[];
  /**
   * The home's addresses as the Internet sees them; undefined before they were asked for, and then
   * the kernel keeps the ones that it has.
   */
  readonly publicAddresses: readonly string[] | undefined;
  /**
   * The cap: the total of both directions, ever counted, at which the kernel stops forwarding;
   * undefined without a cap.
   */
  readonly stopAtBytes: number | undefined;
  /**
   * The total of both directions, ever counted, from which on only open connections go on;
   * undefined without a cap.
   */
  readonly newUntilBytes: number | undefined;
  /** How many bytes the line may carry for each byte that the rules see; 1 where unknown. */
  readonly mostPerByte?: number;
  /**
   * What the line may have carried beyond what the rules counted, when they had counted so much; 0
   * where unknown.
   */
  readonly unread?: { readonly bytes: number; readonly at: ForwardedTotals };
  /** Where the forwarded counters begin if the kernel has none. */
  readonly totals: ForwardedTotals;
}

export interface DataPathHost {
  readonly exec: Exec;
  readonly stateDirectory: string;
  readonly restore: RestoreFile;
  readonly line: Pick<LineShaper, 'reconcile' | 'takeOut' | 'flush'>;
  /**
   * The drivers of the sources' devices, at least one. Their order decides how devices are told
   * apart.
   */
  readonly sources: readonly SourceDriver[];
  /** `gateway.uplink` as it is now; a tear-down ends the counting there. */
  readonly configuredUplink?: () => string | undefined;
  /** A folder in which a host around this namespace sees what it is asked; else undefined. */
  readonly runtimeDirectory?: string | undefined;
}

/**
 * The kernel's forwarded counters, with the headers that its rules did not see; undefined without
 * the agent's table.
 */
export function readTotals(table: NftTable | undefined): ForwardedTotals | undefined {
  const up = table?.counters.get('forwarded_up');
  const down = table?.counters.get('forwarded_down');
  if (up === undefined || down === undefined) return undefined;
  const toWhole = (way: 'up' | 'down', seen: { packets: number; bytes: number }) => {
    const merged = table?.counters.get(`merged_${way}`) ?? { packets: 0, bytes: 0 };
    return { packets: seen.packets + merged.packets, bytes: seen.bytes + merged.bytes };
  };
  return { up: toWhole('up', up), down: toWhole('down', down) };
}

/** Packets refused since the table was made, by reason, without the agent's own probes. */
export function readRefusals(table: NftTable): Readonly<Record<string, number>> {
  const probes: ReadonlyMap<string, number> = countRefusedProbes(table);
  const counted = Object.entries(refusals).map(([counter, reason]) => {
    const packets = table.counters.get(counter)?.packets ?? 0;
    return [reason, Math.max(0, packets - (probes.get(counter) ?? 0))];
  });
  return Object.fromEntries(counted);
}
