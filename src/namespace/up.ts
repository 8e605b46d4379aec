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
import { renderHostRuleset } from './host-ruleset.ts';
import { chooseWire, hostSide, hostTableName, namespaceName, namespaceSide, toNameServers, type Wire } from './plan.ts';

export interface NamespaceDoors {
  readonly exec: Exec;
  readonly restore: RestoreFile;
}

const resolvConfFolder = `/etc/netns/${namespaceName}`;

/** Makes the agent's namespace, its wire to the host and the host's fence; safe to repeat. @throws not-allowed, gateway-failed */
export async function bringNamespaceUp(doors: NamespaceDoors, allowDestinations: readonly string[]): Promise<void> {
  const { exec } = doors;
  const [interfaces, routes] = await Promise.all([observeInterfaces(exec), observeRoutes(exec, 4)]);
  const uplink = toUplink(routes, interfaces, undefined, hostSide);
  if (uplink === undefined) {
    throw new TributaryError(
      'gateway-failed',
      'making the namespace: this host has no default route yet; connect it first',
    );
  }
  const ownPrefixes = toOwnPrefixes(
    interfaces.filter((own) => own.name !== hostSide),
    hostSide,
  );
  const wire = chooseWire(ownPrefixes);
  const nameServers = await prepareNameServers();
  const forwardingPath = `net/ipv4/conf/${uplink}/forwarding`;
  const wasForwarding = (await readSysctl(forwardingPath)) === '1' && !(await isRemembered(doors, forwardingPath));
  // The fence stands before the wire does.
  const policy = { wire, uplink, ownPrefixes, nameServers, allowDestinations, isForwardingOurs: !wasForwarding };
  await applyNft(exec, renderHostRuleset(policy), "installing the host's side of the fence");
  await makeWire(
    exec,
    wire,
    interfaces.some((own) => own.name === hostSide),
  );
  if (!wasForwarding) {
    await doors.restore.remember(forwardingPath, '0');
    await writeSysctl(forwardingPath, '1');
  }
  await writeSysctl(`net/ipv4/conf/${hostSide}/forwarding`, '1');
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
  await doors.restore.putBack();
  if ((await observeNftTable(exec, 'inet', hostTableName)) !== undefined) {
    await applyNft(exec, `delete table inet ${hostTableName}\n`, "removing the host's side of the fence");
  }
  await rm(resolvConfFolder, { recursive: true, force: true });
  // Where others have namespaces of their own, it is not empty.
  await rmdir(dirname(resolvConfFolder)).catch(() => undefined);
}

/** True where the agent's namespace is there. */
async function hasNamespace(exec: Exec): Promise<boolean> {
  const text = await exec({ program: 'ip', args: ['netns', 'list'], doing: 'listing the network namespaces' });
  return text.split('\n').some((line) => line.split(' ')[0] === namespaceName);
}

async function isRemembered(doors: NamespaceDoors, path: string): Promise<boolean> {
  return (await doors.restore.read())[path] !== undefined;
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
  if (servers.length > 0) {
    await mkdir(resolvConfFolder, { recursive: true });
    await writeFile(`${resolvConfFolder}/resolv.conf`, servers.map((server) => `nameserver ${server}\n`).join(''));
  }
  return servers;
}
