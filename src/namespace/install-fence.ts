import type { Exec } from '../system/exec.ts';
import { applyNft } from '../system/nft.ts';
import { type HostPolicy, type Installation, renderHostRuleset } from './host-ruleset.ts';

/**
 * Fits the table that is there, so that what is open stays counted and timed. Where that cannot be
 * done, as with a table of another version, it is made again, on some kernels without its clock.
 * Resolves with how it was installed.
 * @throws gateway-failed
 */
export async function installFence(exec: Exec, policy: HostPolicy): Promise<Installation> {
  const install = async (how: Installation) => {
    const script = renderHostRuleset(policy, how);
    await applyNft(exec, script, "installing the host's side of the fence");
    return how;
  };
  return await install('kept')
    .catch(() => install('anew'))
    .catch(() => install('untimed'));
}
