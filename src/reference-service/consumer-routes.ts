import type { Exec } from '../system/exec.ts';
import { type Family, observeRules } from '../system/ip.ts';
import { hasIpv6, readSysctl, writeSysctl } from '../system/sysctl.ts';

const table = '52000';
const priority = 100;

/**
 * Leads everything that arrives from the consumers by the interface `incoming` into the WireGuard one, `tunnels`, and
 * nowhere else: when that is gone, it is refused. Turns forwarding on. May be repeated. @throws command-failed, missing-program, not-allowed
 */
export async function openConsumerRoutes(exec: Exec, incoming: string, tunnels: string): Promise<void> {
  await ensureSysctl('net/ipv4/ip_forward', '1');
  // Answers come back from addresses that no route of the main table leads to.
  await ensureSysctl('net/ipv4/conf/all/rp_filter', '2');
  const families = await listFamilies(tunnels);
  if (families.includes(6)) await ensureSysctl('net/ipv6/conf/all/forwarding', '1');
  const doing = 'leading the consumers into the tunnels';
  for (const family of families) {
    await removeRule(exec, incoming, family);
    await runIp(exec, `-${family} route replace unreachable default metric 4278198272 table ${table}`, doing);
    await runIp(exec, `-${family} route replace default dev ${tunnels} table ${table}`, doing);
    await runIp(exec, `-${family} rule add pref ${priority} iif ${incoming} lookup ${table}`, doing);
  }
}

/** Takes the rule and its table away. @throws command-failed, missing-program */
export async function closeConsumerRoutes(exec: Exec, incoming: string, tunnels: string): Promise<void> {
  for (const family of await listFamilies(tunnels)) {
    await removeRule(exec, incoming, family);
    await runIp(exec, `-${family} route flush table ${table}`, `emptying routing table ${table}`);
  }
}

async function runIp(exec: Exec, line: string, doing: string): Promise<void> {
  await exec({ program: 'ip', args: line.split(' '), doing });
}

/** Writes only what differs: in many containers the settings are there, and cannot be written. */
async function ensureSysctl(path: string, value: string): Promise<void> {
  if ((await readSysctl(path)) !== value) await writeSysctl(path, value);
}

async function removeRule(exec: Exec, incoming: string, family: Family): Promise<void> {
  const rules = await observeRules(exec, family);
  for (const { incomingInterface = incoming } of rules.filter(
    (rule) => rule.table === table && rule.priority === priority,
  )) {
    const line = `-${family} rule del pref ${priority} iif ${incomingInterface} lookup ${table}`;
    await runIp(exec, line, 'removing the rule for consumers');
  }
}

async function listFamilies(tunnels: string): Promise<readonly Family[]> {
  return (await hasIpv6(tunnels)) ? [4, 6] : [4];
}
