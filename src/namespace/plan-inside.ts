import { TributaryError } from '../lib/errors.ts';
import { exec } from '../system/exec.ts';
import { isThere } from '../system/files.ts';
import { findHostHardware, isNetworkAdmin } from '../system/host-hardware.ts';
import { namespaceName } from './plan.ts';

/** What it printed in there; undefined: this namespace is it. @throws host-namespace, not-allowed, command-failed */
export async function planInside(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const hardware = await findHostHardware(exec);
  if (hardware === undefined) {
    if (await isNetworkAdmin()) return undefined;
    const message = 'reading the firewall takes the right over this network (CAP_NET_ADMIN): sudo tributary plan';
    throw new TributaryError('not-allowed', message);
  }
  if (process.geteuid?.() !== 0) {
    const message = `${hardware} is this host's: the agent has a network namespace of its own, into which only root may look: sudo tributary plan`;
    throw new TributaryError('not-allowed', message);
  }
  if (!(await isThere(`/run/netns/${namespaceName}`))) {
    const message = `${hardware} is this host's, and the agent's own network namespace is not there yet: sudo tributary namespace up`;
    throw new TributaryError('host-namespace', message);
  }
  const given = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const args = ['netns', 'exec', namespaceName, process.execPath, ...argv, '--own-namespace'];
  return exec({ program: 'ip', args, env: Object.fromEntries(given), doing: "planning in the agent's namespace" });
}
