import { deniedTableName, type ForwardedTotals, tableName } from '../gateway/policy.ts';
import { noRouting, planRouting } from '../gateway/routes.ts';
import { applyIpCommands, observeNetwork } from '../system/ip.ts';
import { applyNft, type NftTable, observeNftOutline } from '../system/nft.ts';
import { forgetConnections } from './forget-connections.ts';
import { observeTable } from './observe.ts';
import { holdsPermit, revokePermit } from './permit.ts';
import { reconcileTunnel } from './reconcile-tunnel.ts';
import { type DataPathHost, readTotals } from './state.ts';

/** What a tear-down needs to know of the data path, and who keeps what was counted. */
export interface TearDown {
  readonly tunnelInterface: string;
  /** Writes down the last totals. @throws state-unwritable */
  readonly keepTotals: (totals: ForwardedTotals | undefined) => Promise<void>;
}

/** Leaves nothing open on the way. The table goes once its totals are kept; else it stays, closed. Safe to repeat. */
export async function removeDataPath(host: DataPathHost, tearDown: TearDown): Promise<void> {
  const table = await closeDataPath(host, tearDown);
  await forgetConnections(host.exec);
  if (table !== undefined) await applyNft(host.exec, `delete table inet ${tableName}\n`, 'removing the gateway');
  const denied = await observeNftOutline(host.exec, deniedTableName);
  if (denied !== undefined)
    await applyNft(host.exec, `delete table inet ${deniedTableName}\n`, 'removing what is denied');
}

/** The same but for the table, which stays, closed: without it the kernel would answer consumers' peers with resets. */
export async function closeDataPath(
  host: DataPathHost,
  { tunnelInterface, keepTotals }: TearDown,
): Promise<NftTable | undefined> {
  const { exec } = host;
  if (holdsPermit(await observeTable(exec))) await revokePermit(exec);
  const network = await observeNetwork(exec);
  await applyIpCommands(exec, planRouting(noRouting, network), 'removing the routes');
  await reconcileTunnel(host, { kind: 'absent', interface: tunnelInterface }, network);
  await host.restore.putBack();
  const table = await observeTable(exec);
  await keepTotals(readTotals(table));
  return table;
}
