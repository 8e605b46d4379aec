import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toOwnPrefixes, toUplink } from '../gateway/uplink.ts';
import { hasCode, TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { readFileIfThere } from '../system/files.ts';
import { observeInterfaces, observeRoutes } from '../system/ip.ts';
import { applyNft, observeNftTable } from '../system/nft.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import { readSysctl, writeSysctl } from '../system/sysctl.ts';
import { type HostPolicy, renderHostRuleset } from './host-ruleset.ts';
import { letThrough, letThroughNoMore } from './let-through.ts';
import { chooseWire, hostSide, hostTableName, namespaceName, namespaceSide, toNameServers, type Wire } from './plan.ts';

export interface NamespaceDoors {
  readonly exec: Exec;
  readonly restore: RestoreFile;
}

/** What of the owner's own network is let through the fence. */
export type WaysOut = Pick<HostPolicy, 'allowDestinations' | 'recipients'>;

const resolvConfFolder = `/etc/netns/${namespaceName}`;

/**
 * Makes the agent's namespace, its wire to the host and the host's fence, and fits them to the host as it is now; safe to
 * repeat. Resolves to the host's uplink; undefined: it has none yet, and nothing passes before this is repeated.
 * @throws not-allowed, gateway-failed
 */
export async function bringNamespaceUp(doors: NamespaceDoors, ways: WaysOut): Promise<string | undefined> {
  const { exec } = doors;
  const [interfaces, routes] = await Promise.all([observeInterfaces(exec), observeRoutes(exec, 4)]);
  const uplink = toUplink(routes, interfaces, undefined, hostSide);
  const ownPrefixes = toOwnPrefixes(
    interfaces.filter((own) => own.name !== hostSide),
    hostSide,
  );
  const wire = chooseWire(ownPrefixes);
  const nameServers = await prepareNameServers();
  const isForwardingOurs = uplink !== undefined && (await isSwitchedByUs(doors, toForwardingPath(uplink)));
  // The fence stands before the wire does.
  const policy = { wire, uplink, ownPrefixes, nameServers, ...ways, isForwardingOurs };
  await applyNft(exec, renderHostRuleset(policy), "installing the host's side of the fence");
  await makeWire(
    exec,
    wire,
    interfaces.some((own) => own.name === hostSide),
  );
  if (uplink !== undefined) await switchForwardingOn(doors, toForwardingPath(uplink));
  await writeSysctl(toForwardingPath(hostSide), '1');
  // Last: the namespace stands also where another firewall cannot be spoken to.
  await letThrough(exec);
  return uplink;
}

/** Removes all of it and puts the host's settings back; safe to repeat. */
export async function takeNamespaceDown(doors: NamespaceDoors): Promise<void> {
  const { exec } = doors;
  const interfaces = await observeInterfaces(exec);
  if (interfaces.some((own) => own.name === hostSide)) {
    await exec({ program: 'ip', args: ['link', 'delete', hostSide], doing: `removing ${hostSide}` });
  }
  if (await hasNamespace(exec)) {
    await exec({ program: 'ip', args: ['netns', 'delete', namespaceName], doing: 'removing the namespace' });
  }
  const isTakenOver = await hasAnotherForwarder(doors);
  await doors.restore.putBack((path) => path !== everywhere && !isTakenOver);
  if ((await observeNftTable(exec, 'inet', hostTableName)) !== undefined) {
    await applyNft(exec, `delete table inet ${hostTableName}\n`, "removing the host's side of the fence");
  }
  await rm(resolvConfFolder, { recursive: true, force: true });
  // Where others have namespaces of their own, it is not empty.
  await rmdir(dirname(resolvConfFolder)).catch(() => undefined);
  // Last: all of this is gone also where another firewall cannot be spoken to.
  await letThroughNoMore(exec);
}

/** True where the agent's namespace is there. */
async function hasNamespace(exec: Exec): Promise<boolean> {
  const text = await exec({ program: 'ip', args: ['netns', 'list'], doing: 'listing the network namespaces' });
  return text.split('\n').some((line) => line.split(' ')[0] === namespaceName);
}

function toForwardingPath(name: string): string {
  return `net/ipv4/conf/${name}/forwarding`;
}

/** The setting for all interfaces at once; never changed here, and a change of it is somebody else's. */
const everywhere = 'net/ipv4/conf/all/forwarding';

/** True where the host did not forward by itself, and has not begun to since (as it does when Docker is started). */
async function isSwitchedByUs(doors: NamespaceDoors, path: string): Promise<boolean> {
  if (await hasAnotherForwarder(doors)) return false;
  return (await doors.restore.read())[path] !== undefined || (await readSysctl(path)) !== '1';
}

async function hasAnotherForwarder({ restore }: NamespaceDoors): Promise<boolean> {
  return (await restore.read())[everywhere] === '0' && (await readSysctl(everywhere)) === '1';
}

async function switchForwardingOn({ restore }: NamespaceDoors, path: string): Promise<void> {
  if ((await readSysctl(path)) === '1') return;
  await restore.remember(everywhere, (await readSysctl(everywhere)) ?? '0');
  await restore.remember(path, '0');
  await writeSysctl(path, '1');
}

async function makeWire(exec: Exec, wire: Wire, isThere: boolean): Promise<void> {
  if (!(await hasNamespace(exec))) {
    await exec({ program: 'ip', args: ['netns', 'add', namespaceName], doing: 'making the namespace' }).catch(explain);
  }
  const onHost = [
    ...(isThere ? [] : [`link add ${hostSide} type veth peer name ${namespaceSide} netns ${namespaceName}`]),
    `address replace ${wire.hostAddress}/30 dev ${hostSide}`,
    `link set ${hostSide} up`,
  ];
  const inside = [
    'link set lo up',
    `address replace ${wire.namespaceAddress}/30 dev ${namespaceSide}`,
    `link set ${namespaceSide} up`,
    `route replace default via ${wire.hostAddress}`,
  ];
  await exec({ program: 'ip', args: ['-batch', '-'], input: `${onHost.join('\n')}\n`, doing: 'wiring the namespace' });
  const args = ['-netns', namespaceName, '-batch', '-'];
  await exec({ program: 'ip', args, input: `${inside.join('\n')}\n`, doing: 'wiring the namespace from inside' });
}

function explain(error: unknown): never {
  if (hasCode(error, 'command-failed') && /not permitted|denied/i.test(error.message)) {
    throw new TributaryError('not-allowed', `${error.message}; run it as root`, { cause: error });
  }
  throw error;
}

/** `ip netns exec` shows this file as /etc/resolv.conf inside. */
async function prepareNameServers(): Promise<readonly string[]> {
  const [own = '', upstream] = await Promise.all([
    readFileIfThere('/etc/resolv.conf'),
    readFileIfThere('/run/systemd/resolve/resolv.conf'),
  ]);
  const servers = toNameServers(own, upstream);
  await mkdir(resolvConfFolder, { recursive: true });
  // Written even when empty: the file is bind-mounted into the namespace, so an in-place write is visible there.
  await writeFile(`${resolvConfFolder}/resolv.conf`, servers.map((server) => `nameserver ${server}\n`).join(''));
  return servers;
}
