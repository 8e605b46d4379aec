import { tableName } from '../../gateway/policy.ts';
import { observeNftTable } from '../../system/nft.ts';
import { type Finding, fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';
import { insideAsRoot } from '../inside-as-root.ts';

/** Whether consumers' traffic really passes, in the kernel and not by the agent's word; else the reason that the agent gives. */
export async function lookAtForwarding(host: DoctorHost): Promise<Finding> {
  const { phase, reasons, provide, gateway } = await host.status();
  const [reason] = reasons;
  switch (phase) {
    case 'providing':
      return (await host.isNetworkAdmin()) ? lookAtKernel(host) : pass(`open to ${gateway.uplink}, the agent says`);
    case 'idle':
    case 'paused':
      return pass(`closed, as it should be: ${reason?.message ?? `the mode is ${provide.effective}`}`);
    case 'signed-out':
    case 'registering':
    case 'connecting':
    case 'blocked':
    case 'stopping':
      return fail(reason?.message ?? `the agent is ${phase}`, reason?.action ?? 'tributary status');
  }
}

async function lookAtKernel(host: DoctorHost): Promise<Finding> {
  const exec = await insideAsRoot(host);
  const own = (await host.configuration()).config.tunnel.interface;
  const table = await observeNftTable(exec, 'inet', tableName);
  if (table === undefined)
    return fail('the nft table tributary is gone', 'See who removes it; the agent puts it back: sudo nft monitor');
  if (table.policies.get('forward') !== 'drop') {
    return fail('the nft table tributary is not as the agent makes it', 'See who changes it: sudo nft monitor');
  }
  const { rules } = await host.network();
  const hasRules = [5181, 5182].every((priority) => rules.some((rule) => rule.priority === priority));
  if (!hasRules)
    return fail('the rules for routing are gone', 'See who removes them; the agent puts them back: ip monitor rule');
  const seconds = table.expires.get(`permit/${own}`);
  if (seconds === undefined) return fail('the permit to forward has run out', 'sudo systemctl restart tributary');
  return pass(`open for ${seconds} s more, and renewed meanwhile`);
}
