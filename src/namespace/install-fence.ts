import type { Exec } from '../system/exec.ts';
import { applyNft } from '../system/nft.ts';
import { type HostPolicy, type Installation, renderHostRuleset } from './host-ruleset.ts';

/**
 * Changes the table that is there, so that open connections keep their counts and timeouts. Where
 * nft refuses that, as with a table of another version, it makes a new table, and where nft refuses
 * that too, one without timeouts. Resolves with how it was installed.
 * @throws gateway-failed
 */
export async function installFence(exec: Exec, policy: HostPolicy): Promise<Installation> {
  const install = async (how: Installation) => {
    const script = renderHostRuleset(policy, how);
    await applyNft(exec, script, "installing the host's side of the fence");
    return how;
  };
  return await install('kept')
    .catch(() => install('new'))
    .catch(() => install('untimed'));
}
