import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import type { Exec } from '../system/exec.ts';
import { isThere, writeFileAtomic } from '../system/files.ts';
import { type Family, observeInterfaces, observeRules } from '../system/ip.ts';
import { hasIpv6, readSysctl, writeSysctl } from '../system/sysctl.ts';
import { hasCode, SandboxError, toFailure } from './errors.ts';
import type { KeyPair } from './proxies.ts';

export interface WireGuardInterface {
  readonly name: string;
  readonly keys: KeyPair;
  /** A UDP port. */
  readonly port: number;
  /** The folder in which the private key may be for the moment in which wg reads it. */
  readonly directory: string;
  /** The interface from which consumers' traffic comes; undefined if none comes. */
  readonly consumersInterface?: string | undefined;
}

/**
 * Makes the interface, without peers.
 * @throws tunnel-failed, missing-program, command-failed, not-allowed, state-unwritable
 */
export async function createWireGuard(exec: Exec, wireGuard: WireGuardInterface) {
  const { name, keys, port, directory, consumersInterface } = wireGuard;
  await removeLeftover(exec, wireGuard);
  const backend = await addLink(exec, name);
  try {
    // A file is used, because wg cannot read the sockets that Node uses as pipes.
    const path = join(directory, 'wireguard.key');
    await writeFileAtomic(path, keys.privateKey.reveal());
    const args = ['set', name, 'listen-port', `${port}`, 'private-key', path];
    await exec({ program: 'wg', args, doing: `configuring ${name}` }).finally(() =>
      rm(path, { force: true }),
    );
    await runIp(exec, `link set ${name} up`, `bringing ${name} up on UDP port ${port}`);
    if (consumersInterface !== undefined) await openConsumerRoutes(exec, consumersInterface, name);
  } catch (error) {
    await removeWireGuard(exec, name).catch(() => undefined);
    throw error;
  }
  return backend;
}

/** Removes the interface, which ends wireguard-go, and waits for its end. @throws command-failed */
export async function removeWireGuard(exec: Exec, name: string): Promise<void> {
  await runIp(exec, `link del ${name}`, `removing the interface ${name}`);
  // wireguard-go removes its socket as its last act. Without waiting, it would remove the socket of
  // the next one.
  const socket = `/var/run/wireguard/${name}.sock`;
  for (let tries = 0; tries < 500 && (await isThere(socket)); tries += 1)
    await sleep(20, AbortSignal.timeout(1000));
}

async function addLink(exec: Exec, name: string): Promise<'kernel' | 'userspace'> {
  const doing = `making the WireGuard interface ${name}`;
  const made = runIp(exec, `link add ${name} type wireguard`, doing);
  const failure = await made.then(() => undefined, toFailure('command-failed'));
  if (failure === undefined) return 'kernel';
  // This silences the notice about kernels with WireGuard, which is for people at a terminal.
  const env = { WG_I_PREFER_BUGGY_USERSPACE_TO_POLISHED_KMOD: '1' };
  await exec({ program: 'wireguard-go', args: [name], doing, env }).catch((cause: unknown) => {
    const code = hasCode(cause, 'missing-program') ? 'missing-program' : 'tunnel-failed';
    throw new SandboxError(code, `${failure.message}; ${messageOf(cause)}`, { cause });
  });
  return 'userspace';
}

/**
 * Removes an interface that a killed service left.
 * @throws tunnel-failed if another program has one of this name
 */
async function removeLeftover(exec: Exec, wireGuard: WireGuardInterface): Promise<void> {
  const { name, keys } = wireGuard;
  if ((await observeInterfaces(exec)).every((found) => found.name !== name)) return;
  const args = ['show', name, 'public-key'];
  const key = await exec({ program: 'wg', args, doing: `reading the key of ${name}` }).catch(
    () => 'none',
  );
  if (key.trim() !== keys.publicKey) {
    const message = `an interface ${name} exists already, and it is not of this data directory`;
    throw new SandboxError('tunnel-failed', message);
  }
  await removeWireGuard(exec, name);
}

const table = '52000';
const priority = 100;

/**
 * Leads packets that arrive by `incoming` into `tunnels`, and refuses them if that is gone.
 * Switches forwarding on. May be repeated.
 */
async function openConsumerRoutes(exec: Exec, incoming: string, tunnels: string): Promise<void> {
  await ensureSysctl('net/ipv4/ip_forward', '1');
  // Answers come from addresses to which the main table has no route.
  await ensureSysctl('net/ipv4/conf/all/rp_filter', '2');
  const families = await listFamilies(tunnels);
  if (families.includes(6)) await ensureSysctl('net/ipv6/conf/all/forwarding', '1');
  const doing = 'leading the consumers into the tunnels';
  for (const family of families) {
    await removeRule(exec, incoming, family);
    await runIp(
      exec,
      `-${family} route replace unreachable default metric 4278198272 table ${table}`,
      doing,
    );
    await runIp(exec, `-${family} route replace default dev ${tunnels} table ${table}`, doing);
    await runIp(
      exec,
      `-${family} rule add pref ${priority} iif ${incoming} lookup ${table}`,
      doing,
    );
  }
}

/** Removes the rule and its table. @throws command-failed, missing-program */
export async function closeConsumerRoutes(
  exec: Exec,
  incoming: string,
  tunnels: string,
): Promise<void> {
  for (const family of await listFamilies(tunnels)) {
    await removeRule(exec, incoming, family);
    await runIp(exec, `-${family} route flush table ${table}`, `emptying routing table ${table}`);
  }
}

async function runIp(exec: Exec, line: string, doing: string): Promise<void> {
  await exec({ program: 'ip', args: line.split(' '), doing });
}

/**
 * Writes only a value that differs: in many containers the settings are right already and cannot be
 * written.
 */
async function ensureSysctl(path: string, value: string): Promise<void> {
  if ((await readSysctl(path)) !== value) await writeSysctl(path, value);
}

async function removeRule(exec: Exec, incoming: string, family: Family): Promise<void> {
  for (const rule of await observeRules(exec, family)) {
    if (rule.table !== table || rule.priority !== priority) continue;
    const { incomingInterface = incoming } = rule;
    const line = `-${family} rule del pref ${priority} iif ${incomingInterface} lookup ${table}`;
    await runIp(exec, line, 'removing the rule for consumers');
  }
}

async function listFamilies(tunnels: string): Promise<readonly Family[]> {
  return (await hasIpv6(tunnels)) ? [4, 6] : [4];
}
