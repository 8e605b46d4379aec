import { TributaryError } from '../errors/codes.ts';
import type { TunnelSpec } from '../source/wireguard/state.ts';
import type { Exec } from '../system/exec.ts';
import type { DoctorHost } from './host.ts';

/** What a check found, in words for the owner. */
export type Finding =
  | { readonly verdict: 'pass'; readonly found: string }
  /** The check could not be made, or its failure follows from another one. */
  | { readonly verdict: 'skip'; readonly found: string }
  | {
      /** `warn` where the device shares all the same, and the owner decides. */
      readonly verdict: 'warn' | 'fail';
      readonly found: string;
      /** The command that fixes it; one sentence where no command does. */
      readonly fix: string;
    };

export function pass(found: string): Finding {
  return { verdict: 'pass', found };
}

export function skip(found: string): Finding {
  return { verdict: 'skip', found };
}

export function warn(found: string, fix: string): Finding {
  return { verdict: 'warn', found, fix };
}

export function fail(found: string, fix: string): Finding {
  return { verdict: 'fail', found, fix };
}

/**
 * A name made safe for a command that the owner may copy: an agent that was taken over can choose
 * the names in its namespace.
 */
export function toShellWord(name: string): string {
  return /^\w[\w.@-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/** The tunnel's other end, with its name resolved. */
interface FoundEndpoint {
  readonly spec: TunnelSpec;
  readonly address: string;
}

/** undefined where no tunnel was issued, or its name has no address. */
export async function findEndpoint(host: DoctorHost): Promise<FoundEndpoint | undefined> {
  const spec = await host.tunnel();
  if (spec === undefined) return undefined;
  const address = await host.resolve(spec.peer.endpoint.host);
  return address === undefined ? undefined : { spec, address };
}

/**
 * Runs programs in the agent's namespace, where an ordinary user is not shown everything.
 * @throws not-allowed, host-namespace
 */
export async function insideAsRoot(host: DoctorHost): Promise<Exec> {
  if (await host.isNetworkAdmin()) return host.inside();
  throw new TributaryError('not-allowed', 'needs root: sudo tributary doctor');
}
