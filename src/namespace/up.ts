import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { WaysOut } from '../config/recipients.ts';
import { rethrow } from '../errors/codes.ts';
import { toCeilings } from '../gateway/ceilings.ts';
import {
  chooseRouter,
  chooseUplink,
  listAddresses,
  listOwnPrefixes,
  listPublicAddresses,
  listRoutedPrefixes,
  listTunnelEnds,
} from '../gateway/uplink.ts';
import { explainNoWay, listDetours } from '../gateway/way-out.ts';
import { chooseConsumerPorts } from '../lib/ports.ts';
import { noteOfHost } from '../system/connection-table.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeInterfaces, observeRoutes } from '../system/ip.ts';
import { observeListeningPorts } from '../system/listening-ports.ts';
import { checkUnclaimed } from '../system/lock.ts';
import { applyNft, observeNftTable } from '../system/nft.ts';
import { askForPublicAddresses, outsideFile } from '../system/public-addresses.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import { observeConnectionRoom, readSysctl, writeSysctl } from '../system/sysctl.ts';
import { observeWays } from '../system/ways.ts';
import { fitDeadEnd } from './dead-end.ts';
import { fitDetour } from './detour.ts';
import { forgetOnHost } from './forget.ts';
import {
  everywhere,
  hasAnotherForwarder,
  listSwitched,
  switchFormerOff,
  switchForwardingOn,
  toForwardingPath,
} from './forwarding.ts';
import { installFence } from './install-fence.ts';
import { letThrough, letThroughNoMore } from './let-through.ts';
import { explain, hasNamespace, makeLink } from './make-link.ts';
import { findNameServers } from './name-servers.ts';
import { forgetOwner } from './owner.ts';
import { chooseLink, hostSide, hostTableName, namespaceName, resolvConfFolder } from './plan.ts';
import { removeUntranslated } from './untranslated.ts';

export interface NamespaceHost {
  readonly exec: Exec;
  readonly restore: RestoreFile;
  /** Removes the folder in which `restore` was kept. */
  forget(): Promise<void>;
}

/** How the namespace leads out. */
export interface NamespaceFit {
  /** The interface that the owner names as the uplink; undefined where none is named. */
  readonly configured: string | undefined;
  /** undefined without one, and then nothing passes until the namespace is fitted again. */
  readonly uplink: string | undefined;
  /** Why there is no uplink, where neither a cable nor a wait helps. */
  readonly whyNone: string | undefined;
  /** None where the host names no server that can be reached from inside. */
  readonly nameServers: readonly string[];
}

/**
 * Fits the agent's namespace, its link and the host's fence to the present host; safe to repeat.
 * @throws not-allowed, gateway-failed
 */
export async function bringNamespaceUp(host: NamespaceHost, ways: WaysOut): Promise<NamespaceFit> {
  const { exec } = host;
  const [interfaces, routes, here] = await Promise.all([
    observeInterfaces(exec),
    observeRoutes(exec, 4),
    observeWays(exec, 4),
  ]);
  const network = { interfaces, routes, ways: here };
  const configured = ways.configuredUplink;
  const uplink = chooseUplink(network, { configured, devices: [hostSide] });
  const ownPrefixes = listOwnPrefixes(interfaces, [hostSide]);
  const link = chooseLink(ownPrefixes);
  const uplinkAddresses = listAddresses(interfaces, uplink);
  const nameServers = await prepareNameServers([link.hostAddress, ...uplinkAddresses])
    .catch(rethrow('command-failed', 'giving it DNS'))
    .catch(explain);
  const switched = await listSwitched(host, uplink);
  // The fence is set up before the link.
  const localPorts = await readSysctl('net/ipv4/ip_local_port_range');
  const { addresses: known } = await outsideFile.read();
  const { total } = toCeilings(await observeConnectionRoom(), { total: ways.totalConnections });
  const found = {
    link,
    uplink,
    ownPrefixes: [...new Set([...ownPrefixes, ...listRoutedPrefixes(network, [hostSide])])],
    nameServers,
    consumerPorts: chooseConsumerPorts(localPorts, await observeListeningPorts()),
    tunnelEnds: listTunnelEnds(interfaces),
    // What the namespace just forgot may be here for a moment more.
    connections: Math.ceil(total * 1.25),
    ownConnections: Math.ceil(total / 4),
    switched,
  };
  const { fixed } = ways.publicAddress;
  const withFixed = (addresses: readonly string[]) =>
    fixed === undefined ? addresses : [...new Set([...addresses, fixed])].sort();
  const policy = { ...found, uplinkAddresses, publicAddresses: withFixed(known), ...ways };
  const isTimed = (await installFence(exec, policy)) !== 'untimed';
  const mtu = Math.min(1500, interfaces.find(({ name }) => name === uplink)?.mtu ?? 1500);
  const isThere = interfaces.some(({ name }) => name === hostSide);
  await makeLink(exec, { ...link, mtu, isThere });
  await fitDetour(exec, listDetours(network, uplink)[0]);
  await fitDeadEnd(exec, { network: link.network, switched });
  await switchFormerOff(host, uplink);
  if (uplink !== undefined) await switchForwardingOn(host, toForwardingPath(uplink));
  await writeSysctl(toForwardingPath(hostSide), '1');
  await removeUntranslated(exec, link.namespaceAddress);
  // This comes last, because another firewall may not answer, and the namespace is complete without
  // it.
  await letThrough(exec);
  const router = chooseRouter(network, uplink);
  const told = await learnPublicAddresses(network, uplink, { router, ways });
  const addresses = told.length === 0 ? known : told;
  await outsideFile.write({ addresses, router, isTimed });
  if (addresses.join() !== known.join()) {
    await installFence(exec, { ...policy, publicAddresses: withFixed(addresses) });
  }
  const whyNone =
    uplink === undefined
      ? explainNoWay({ ...network, ways: [...here, ...(await observeWays(exec, 6))] })
      : undefined;
  return { configured, uplink, whyNone, nameServers };
}

/** Checks that no agent runs in the namespace. @throws already-running */
export async function checkNamespaceIsFree(exec: Exec): Promise<void> {
  if (!(await hasNamespace(exec))) return;
  const args = ['netns', 'exec', namespaceName, 'cat', '/proc/net/unix'];
  checkUnclaimed(
    await exec({ program: 'ip', args, doing: 'looking for an agent in the namespace' }).catch(
      () => '',
    ),
  );
}

/**
 * Removes all of it and restores the host's settings; safe to repeat.
 * @throws already-running where an agent runs in it
 */
export async function takeNamespaceDown(host: NamespaceHost): Promise<void> {
  const { exec } = host;
  await checkNamespaceIsFree(exec);
  const interfaces = await observeInterfaces(exec);
  await fitDetour(exec, undefined);
  if (interfaces.some((own) => own.name === hostSide)) {
    await exec({
      program: 'ip',
      args: ['link', 'delete', hostSide],
      doing: `removing ${hostSide}`,
    });
  }
  if (await hasNamespace(exec)) {
    await exec({
      program: 'ip',
      args: ['netns', 'delete', namespaceName],
      doing: 'removing the namespace',
    });
  }
  await forgetOwner(exec);
  await forgetOnHost(exec);
  const isTakenOver = await hasAnotherForwarder(host);
  await host.restore.putBack((path) => path !== everywhere && !isTakenOver);
  await host.forget();
  await fitDeadEnd(exec, undefined);
  if ((await observeNftTable(exec, hostTableName)) !== undefined) {
    await applyNft(
      exec,
      `delete table inet ${hostTableName}\n`,
      "removing the host's side of the fence",
    );
  }
  await outsideFile.remove();
  await rm(noteOfHost, { force: true });
  await rm(resolvConfFolder, { recursive: true, force: true });
  // The folder is not empty if other programs keep namespaces of their own.
  await rmdir(dirname(resolvConfFolder)).catch(() => undefined);
  // This comes last, because another firewall may not answer, and everything else has to be
  // removed.
  await letThroughNoMore(exec);
}

/** Longer than the slowest question takes, in ms. */
const learnWithinMs = 10_000;

/**
 * The home's public addresses. The host asks the home's router, which cannot be reached from
 * inside; empty where nothing answers.
 */
async function learnPublicAddresses(
  network: Omit<Network, 'families' | 'rules'>,
  uplink: string | undefined,
  { router, ways }: { readonly router: string | undefined; readonly ways: WaysOut },
): Promise<readonly string[]> {
  const own = listPublicAddresses(network.interfaces, uplink);
  if (own.length > 0) return own;
  const { ask_router: natPmp, upnp } = ways.publicAddress;
  const asked = { router, natPmp, upnp, stun: undefined };
  return (await askForPublicAddresses(asked, AbortSignal.timeout(learnWithinMs))).addresses;
}

/** Writes the file that is /etc/resolv.conf inside, and resolves with the servers in it. */
async function prepareNameServers(addresses: readonly string[]): Promise<readonly string[]> {
  const servers = await findNameServers(addresses);
  await mkdir(resolvConfFolder, { recursive: true });
  // The file is bind-mounted into the namespace, so it is written in place, even when empty.
  await writeFile(
    `${resolvConfFolder}/resolv.conf`,
    servers.map((server) => `nameserver ${server}\n`).join(''),
  );
  return servers;
}
