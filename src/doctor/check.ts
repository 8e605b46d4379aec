import type { DoctorDoors } from './doors.ts';

/** `skip`: it could not be looked at, or follows from something else that is wrong. */
export type Verdict = 'pass' | 'fail' | 'skip';

/** Every check by its stable name: scripts and `needs` rely on them. */
export const checkIds = [
  'node',
  'configuration',
  'memory',
  'disk',
  'privileges',
  'namespace',
  'clock',
  'nft',
  'tun',
  'wireguard',
  'uplink',
  'firewalls',
  'tailscale',
  'networkd',
  'dns',
  'service',
  'mtu',
  'token',
  'profile',
  'client',
  'agent',
  'collision',
  'other-wireguard',
  'endpoint',
  'handshake',
  'forwarding',
] as const;
/** One of them. */
export type CheckId = (typeof checkIds)[number];

/** What one look came to. */
export type Finding =
  | { readonly verdict: 'pass'; readonly found: string }
  | { readonly verdict: 'skip'; readonly found: string }
  /** `mend` is the one command, or where there is none the one sentence, that mends it. */
  | { readonly verdict: 'fail'; readonly found: string; readonly mend: string };

/** One thing to look at. */
export interface Check {
  readonly id: CheckId;
  /** For people, at most 16 characters. */
  readonly title: string;
  /** What has to be well for this to be well: its failure is laid to theirs. */
  readonly needs: readonly CheckId[];
  /** Changes nothing. An error says that it cannot be looked at here, or is the failure itself. */
  readonly look: (doors: DoctorDoors) => Promise<Finding>;
}

/** A check's outcome beside the others'. */
export interface Result {
  readonly id: CheckId;
  readonly title: string;
  readonly finding: Finding;
  /** The failed check that this one follows from; undefined where it stands for itself. */
  readonly becauseOf: CheckId | undefined;
}

/** It is well. */
export function pass(found: string): Finding {
  return { verdict: 'pass', found };
}

/** It could not be looked at, for this reason. */
export function skip(found: string): Finding {
  return { verdict: 'skip', found };
}

/** It is wrong, and `mend` mends it. */
export function fail(found: string, mend: string): Finding {
  return { verdict: 'fail', found, mend };
}
