import type { DoctorHost } from './host.ts';

/** `skip`: it could not be checked, or it follows from another failure. */
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

/** The result of one look. */
export type Finding =
  | { readonly verdict: 'pass'; readonly found: string }
  | { readonly verdict: 'skip'; readonly found: string }
  /** `fix` is one command, or one sentence where no command fixes it. */
  | { readonly verdict: 'fail'; readonly found: string; readonly fix: string };

/** One thing to look at. */
export interface Check {
  readonly id: CheckId;
  /** For people, at most 16 characters. */
  readonly title: string;
  /** Checks that have to pass before this one can: where one of them fails, this failure follows from it. */
  readonly needs: readonly CheckId[];
  /** Changes nothing. An error says that it cannot be looked at here, or is the failure itself. */
  readonly look: (host: DoctorHost) => Promise<Finding>;
}

/** A check's finding, with the failure that caused it. */
export interface Result {
  readonly id: CheckId;
  readonly title: string;
  readonly finding: Finding;
  /** The failed check that this one follows from; undefined where it is a cause itself. */
  readonly becauseOf: CheckId | undefined;
}

/** Nothing is wrong. */
export function pass(found: string): Finding {
  return { verdict: 'pass', found };
}

/** It could not be checked, for this reason. */
export function skip(found: string): Finding {
  return { verdict: 'skip', found };
}

/** Something is wrong, and `fix` fixes it. */
export function fail(found: string, fix: string): Finding {
  return { verdict: 'fail', found, fix };
}
