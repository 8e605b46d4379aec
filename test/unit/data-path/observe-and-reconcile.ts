import { observeHost } from '../../../src/data-path/observe.ts';
import { reconcileDataPath } from '../../../src/data-path/reconcile.ts';
import type { DataPath, DataPathHost, DesiredDataPath } from '../../../src/data-path/state.ts';

/** A pass of the data path, as the agent makes it, without permit and accounting. */
export async function observeAndReconcile(host: DataPathHost, desired: DesiredDataPath): Promise<DataPath> {
  const about = { tunnelInterface: desired.tunnel.interface, isDenying: true };
  return reconcileDataPath(host, desired, await observeHost(host.exec, about));
}
