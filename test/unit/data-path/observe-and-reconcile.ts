import { observeHost } from '../../../src/data-path/observe.ts';
import { type DataPath, reconcileDataPath } from '../../../src/data-path/reconcile.ts';
import type { DataPathHost, DesiredDataPath } from '../../../src/data-path/state.ts';

/**
 * A pass of the data path, as the agent makes it, without permit and accounting, where nothing
 * listens: other tests do, on this machine. `before`: the pass before it.
 */
export async function observeAndReconcile(
  host: DataPathHost,
  desired: DesiredDataPath,
  before?: DataPath,
): Promise<DataPath> {
  const observed = await observeHost(host.exec, {
    devices: host.sources.map(({ device }) => device),
    isDenying: true,
    readListeningPorts: async () => [],
  });
  return reconcileDataPath(host, desired, { ...observed, record: before?.record });
}
