import { toUndefined } from '../errors/codes.ts';
import { consumerMark } from '../gateway/ceilings.ts';
import { tableName } from '../gateway/policy.ts';
import { renderNoPermit, renderPermit } from '../gateway/ruleset.ts';
import type { Exec } from '../system/exec.ts';
import { askToForget } from '../system/host-request.ts';
import { applyNft, type NftTable, observeNftTable } from '../system/nft.ts';
import type { DataPathHost } from './state.ts';

/**
 * Lets traffic of these devices through for so many seconds from now, and of no others; at least
 * one.
 * @throws command-failed
 */
export async function grantPermit(
  exec: Exec,
  devices: readonly string[],
  seconds: number,
): Promise<void> {
  await applyNft(exec, renderPermit(devices, seconds), 'renewing the permit to forward');
}

/** Stops traffic now. @throws command-failed */
export async function revokePermit(exec: Exec): Promise<void> {
  await applyNft(exec, renderNoPermit(), 'ending the permit to forward');
}

/**
 * Makes the kernel forget consumers' connections, and no other program's; a host around this
 * namespace is asked to do the same. Without `conntrack` they time out instead.
 */
export async function forgetConnections({
  exec,
  runtimeDirectory,
}: Pick<DataPathHost, 'exec' | 'runtimeDirectory'>): Promise<void> {
  const forget = (family: 'ipv4' | 'ipv6') => {
    const args = ['-D', '-f', family, '--src-nat', '--mark', `${consumerMark}/0xff000000`];
    // `conntrack` lists everything that it deletes, and fails if that is nothing.
    return exec({
      program: 'conntrack',
      args,
      doing: 'forgetting connections',
      isSilent: true,
    }).catch(toUndefined());
  };
  await Promise.all([forget('ipv4'), forget('ipv6')]);
  if (runtimeDirectory !== undefined) await askToForget(runtimeDirectory);
}

/**
 * True while the kernel holds a permit: a probe that gets through removes it.
 * @throws command-failed, missing-program
 */
export async function isPermitHeld(exec: Exec): Promise<boolean> {
  return holdsPermit(await observeNftTable(exec, tableName, 'permit'));
}

/** True while the kernel lets traffic of any device through. */
export function holdsPermit(table: NftTable | undefined): boolean {
  return listPermitted(table).length > 0;
}

/** Names of the devices whose traffic the kernel lets through. */
export function listPermitted(table: NftTable | undefined): readonly string[] {
  return table?.sets.get('permit') ?? [];
}
