import type { GivenCeilings } from '../gateway/ceilings.ts';
import { type ForwardedTotals, type GatewayPolicy, refusals } from '../gateway/policy.ts';
import type { Exec } from '../system/exec.ts';
import type { NftTable } from '../system/nft.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import type { FittedTunnel } from '../tunnel/fit.ts';
import type { DesiredTunnel, ObservedTunnel } from '../tunnel/state.ts';

/** What the data path should be, apart from what is read live. Data alone: it can be compared, logged and printed. */
export interface DesiredDataPath {
  readonly tunnel: DesiredTunnel;
  readonly configuredUplink: string | undefined;
  readonly gateway: Pick<GatewayPolicy, 'allowDestinations' | 'blockedPorts' | 'rateLimit'> & {
    readonly connections?: GivenCeilings;
  };
  /** The cap: the total of both directions, ever counted, at which the kernel stops forwarding; undefined: no cap. */
  readonly stopAtBytes: number | undefined;
  /** Where the forwarded counters begin when the kernel has none. */
  readonly totals: ForwardedTotals;
}

/** The data path as it is after a pass. */
export interface DataPath {
  readonly uplink: string | undefined;
  readonly tunnel: ObservedTunnel;
  /** The tunnel's address that this device's own network has too; the tunnel is not made then. */
  readonly collision: string | undefined;
  /** What of the issued tunnel is left out, because IPv6 is switched off here. */
  readonly missing: FittedTunnel['missing'];
  readonly table: NftTable | undefined;
  /** False where the kernel did not take the ruleset as it was given: nothing may be forwarded. */
  readonly isFenced: boolean;
}

/** The ways to the machine that the data path is made on. */
export interface DataPathHost {
  readonly exec: Exec;
  readonly stateDirectory: string;
  readonly restore: RestoreFile;
}

/** The kernel's forwarded counters; undefined where the agent has no table. */
export function readTotals(table: NftTable | undefined): ForwardedTotals | undefined {
  const up = table?.counters.get('forwarded_up');
  const down = table?.counters.get('forwarded_down');
  if (up === undefined || down === undefined) return undefined;
  return { up: { packets: up.packets, bytes: up.bytes }, down: { packets: down.packets, bytes: down.bytes } };
}

/** Packets that were refused since the table was made, by reason. */
export function readRefusals({ counters }: NftTable): Readonly<Record<string, number>> {
  const counted = Object.entries(refusals).map(([counter, reason]) => [reason, counters.get(counter)?.packets ?? 0]);
  return Object.fromEntries(counted);
}
