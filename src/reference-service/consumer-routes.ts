import type { Exec } from '../system/exec.ts';
import { observeRules } from '../system/ip.ts';
import { hasIpv6, readSysctl, writeSysctl } from '../system/sysctl.ts';

/** The way of consumers' traffic: in by one interface, out by the WireGuard one. */
export interface ConsumerRoutes {
  readonly consumersInterface: string;
  readonly wireGuardInterface: string;
}

const table = '52000';
const priority = '100';

/**
 * Leads everything that arrives from the consumers into the tunnels, and nowhere else: when the interface is gone, it is
 * refused. Turns forwarding on. May be repeated. @throws command-failed, missing-program, not-allowed
 */
export async function openConsumerRoutes(exec: Exec, routes: ConsumerRoutes): Promise<void> {
  await ensureSysctl('net/ipv4/ip_forward', '1');
  // Answers come back from addresses that no route of the main table leads to.
  await ensureSysctl('net/ipv4/conf/all/rp_filter', '2');
  if (await hasIpv6(routes.wireGuardInterface)) await ensureSysctl('net/ipv6/conf/all/forwarding', '1');
  for (const family of await listFamilies(routes)) {
    await removeRule(exec, routes, family);
    const ip = (...args: string[]) =>
      exec({ program: 'ip', args: [`-${family}`, ...args], doing: 'leading the consumers into the tunnels' });
    await ip('route', 'replace', 'unreachable', 'default', 'metric', '4278198272', 'table', table);
    await ip('route', 'replace', 'default', 'dev', routes.wireGuardInterface, 'table', table);
    await ip('rule', 'add', 'pref', priority, 'iif', routes.consumersInterface, 'lookup', table);
  }
}

/** Takes the rule and its table away. @throws command-failed, missing-program */
export async function closeConsumerRoutes(exec: Exec, routes: ConsumerRoutes): Promise<void> {
  for (const family of await listFamilies(routes)) {
    await removeRule(exec, routes, family);
    const args = [`-${family}`, 'route', 'flush', 'table', table];
    await exec({ program: 'ip', args, doing: `emptying routing table ${table}` });
  }
}

/** Writes only what differs: in many containers the settings are there, and cannot be written. */
async function ensureSysctl(path: string, value: string): Promise<void> {
  if ((await readSysctl(path)) !== value) await writeSysctl(path, value);
}

async function removeRule(exec: Exec, routes: ConsumerRoutes, family: 4 | 6): Promise<void> {
  const rules = await observeRules(exec, family);
  const ours = rules.filter((rule) => rule.table === table && String(rule.priority) === priority);
  for (const rule of ours) {
    const incoming = rule.incomingInterface ?? routes.consumersInterface;
    const args = [`-${family}`, 'rule', 'del', 'pref', priority, 'iif', incoming, 'lookup', table];
    await exec({ program: 'ip', args, doing: 'removing the rule for consumers' });
  }
}

async function listFamilies(routes: ConsumerRoutes): Promise<readonly (4 | 6)[]> {
  return (await hasIpv6(routes.wireGuardInterface)) ? [4, 6] : [4];
}
