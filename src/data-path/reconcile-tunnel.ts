import { type Interface, observeInterfaces } from '../system/ip.ts';
import { applyTunnel } from '../tunnel/apply.ts';
import { observeTunnel } from '../tunnel/observe.ts';
import { planTunnel } from '../tunnel/plan.ts';
import type { DesiredTunnel, ObservedTunnel } from '../tunnel/state.ts';
import type { DataPathHost } from './state.ts';

interface TunnelPass {
  readonly interfaces: readonly Interface[];
  /** What a new interface needs before anything can come through it. */
  readonly beforeUp?: () => Promise<void>;
}

/** Makes the tunnel what is desired, or removes it; `hasChanged` where anything had to be done. */
export async function reconcileTunnel(
  host: Pick<DataPathHost, 'exec' | 'stateDirectory'>,
  desired: DesiredTunnel,
  { interfaces, beforeUp }: TunnelPass,
): Promise<{ readonly tunnel: ObservedTunnel; readonly hasChanged: boolean }> {
  const observed = await observeTunnel(host, desired.interface, interfaces);
  const steps = planTunnel(desired, observed);
  if (steps.length === 0) return { tunnel: observed, hasChanged: false };
  const isNew = steps.some(({ kind }) => kind === 'create-link');
  const { setUp = [], others = [] } = Object.groupBy(steps, ({ kind }) => (kind === 'set-up' ? 'setUp' : 'others'));
  await applyTunnel(host, others);
  if (isNew) await beforeUp?.();
  await applyTunnel(host, setUp);
  const tunnel = await observeTunnel(host, desired.interface, await observeInterfaces(host.exec));
  return { tunnel, hasChanged: true };
}
