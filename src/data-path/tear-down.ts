import { deniedTableName, tableName } from '../gateway/policy.ts';
import { noRouting, planRouting } from '../gateway/routes.ts';
import { chooseUplink } from '../gateway/uplink.ts';
import { applyIpCommands, observeNetwork } from '../system/ip.ts';
import { applyNft, type NftTable, observeNftOutline } from '../system/nft.ts';
import { observeTable } from './observe.ts';
import { forgetConnections, holdsPermit, revokePermit } from './permit.ts';
import { reconcileTunnel } from './reconcile-tunnel.ts';
import { type DataPathHost, readTotals } from './state.ts';
import type { UsageAccounting } from './usage-accounting.ts';

type KeepTotals = UsageAccounting['close'];

/**
 * Removes the data path in an order that leaves nothing open. The table is removed once its totals
 * are kept; until then it stays, closed. Safe to repeat.
 */
export async function removeDataPath(
  host: DataPathHost,
  tunnelInterface: string,
  keep: KeepTotals,
): Promise<void> {
  const table = await closeDataPath(host, tunnelInterface, keep);
  await forgetConnections(host.exec);
  if (table !== undefined)
    await applyNft(host.exec, `delete table inet ${tableName}\n`, 'removing the gateway');
  const denied = await observeNftOutline(host.exec, deniedTableName);
  if (denied !== undefined)
    await applyNft(host.exec, `delete table inet ${deniedTableName}\n`, 'removing what is denied');
}

/**
 * Takes everything down except the table, which stays, closed: without it the kernel would answer
 * consumers' peers with resets.
 */
export async function closeDataPath(
  host: DataPathHost,
  tunnelInterface: string,
  keep: KeepTotals,
): Promise<NftTable | undefined> {
  const { exec } = host;
  if (holdsPermit(await observeTable(exec))) await revokePermit(exec);
  const network = await observeNetwork(exec);
  const uplink = chooseUplink(network, { tunnelInterface });
  if (uplink !== undefined)
    await host.line.takeOut({ tunnelInterface, uplink }, network.interfaces);
  await applyIpCommands(exec, planRouting(noRouting, network), 'removing the routes');
  await reconcileTunnel(host, { kind: 'absent', interface: tunnelInterface }, network);
  await host.restore.putBack();
  const table = await observeTable(exec);
  await keep(readTotals(table));
  return table;
}
