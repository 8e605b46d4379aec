import { toUndefined } from '../errors/codes.ts';
import { deniedTableName, tableName } from '../gateway/policy.ts';
import { noRouting, planRouting } from '../gateway/routes.ts';
import { renderHookRemoval } from '../gateway/segment-hook.ts';
import { chooseUplink } from '../gateway/uplink.ts';
import { applyIpCommands, observeNetwork } from '../system/ip.ts';
import { applyNft, type NftTable, observeNftOutline } from '../system/nft.ts';
import { applyTc } from '../system/tc.ts';
import { observeTable } from './observe.ts';
import { forgetConnections, holdsPermit, revokePermit } from './permit.ts';
import { removeDevices } from './reconcile-sources.ts';
import { type DataPathHost, readTotals } from './state.ts';
import type { UsageAccounting } from './usage-accounting.ts';

type KeepTotals = UsageAccounting['close'];

/**
 * Removes the data path in an order that leaves nothing open. The table is removed once its totals
 * are kept; until then it stays, closed. Safe to repeat.
 */
export async function removeDataPath(host: DataPathHost, keep: KeepTotals): Promise<void> {
  const table = await closeDataPath(host, keep);
  await forgetConnections(host);
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
  keep: KeepTotals,
): Promise<NftTable | undefined> {
  const { exec } = host;
  if (holdsPermit(await observeTable(exec))) await revokePermit(exec);
  const network = await observeNetwork(exec);
  const devices = host.sources.map(({ device }) => device);
  const uplink = chooseUplink(network, { configured: host.configuredUplink?.(), devices });
  const isThere = (name: string) => network.interfaces.some((own) => own.name === name);
  const counted = [...devices.filter(isThere), ...(uplink === undefined ? [] : [uplink])];
  const endings = counted.map(renderHookRemoval);
  if (endings.length > 0)
    await applyTc(exec, endings, 'forced').catch(toUndefined('command-failed', 'missing-program'));
  if (uplink !== undefined)
    await host.line.takeOut({ devices: devices.filter(isThere), uplink }, network.interfaces);
  await applyIpCommands(exec, planRouting(noRouting, network), 'removing the routes');
  const failure = await removeDevices(host.sources, network.interfaces);
  await host.restore.putBack();
  const table = await observeTable(exec);
  await keep(readTotals(table));
  // The table stays with the device that is left.
  if (failure !== undefined) throw failure;
  return table;
}
