import { toUndefined } from '../../errors/codes.ts';
import { findCollision, listOwnPrefixes } from '../../gateway/uplink.ts';
import { findAction } from '../../health/reasons.ts';
import { isInAny } from '../../lib/addresses.ts';
import { formatSeconds } from '../../lib/units.ts';
import { listDevices } from '../../source/drivers.ts';
import {
  choosePersistentKeepaliveSeconds,
  hasFreshHandshake,
} from '../../source/wireguard/handshake.ts';
import { explainUnissued } from '../../source/wireguard/not-issued.ts';
import {
  type Finding,
  fail,
  findEndpoint,
  insideAsRoot,
  pass,
  skip,
  toShellWord,
} from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The tunnel must not share addresses with a network of the owner's. */
export async function lookAtCollision(host: DoctorHost): Promise<Finding> {
  const spec = await host.tunnel();
  if (spec === undefined) return skip('no tunnel was issued yet');
  const devices = listDevices((await host.configuration()).config);
  const { interfaces } = await host.network();
  const addresses = spec.addresses.map((own) => own.address);
  const collision = findCollision(addresses, listOwnPrefixes(interfaces, devices));
  if (collision === undefined)
    return pass(`no network here conflicts with ${addresses.join(', ')}`);
  const where = interfaces.find((own) => isInAny(collision, listOwnPrefixes([own], devices)));
  const fix = `Give that network another range, in your router or with: sudo ip address flush dev ${where?.name}`;
  return fail(`the tunnel's address ${collision} is in the network of ${where?.name}`, fix);
}

/**
 * Two interfaces with one key take the tunnel from each other, and two on one port cannot both be
 * up.
 */
export async function lookAtRivals(host: DoctorHost): Promise<Finding> {
  const spec = await host.tunnel();
  if (spec === undefined) return skip('no tunnel was issued yet');
  const inside = await insideAsRoot(host);
  const own = (await host.configuration()).config.tunnel.interface;
  const list = async (exec: typeof inside, what: string) => {
    const text = await exec({
      program: 'wg',
      args: ['show', 'all', what],
      doing: `reading every ${what}`,
    });
    return text.split('\n').map((line) => line.split('\t'));
  };
  const [hereKeys, insideKeys, ports] = await Promise.all([
    list(host.exec, 'public-key'),
    list(inside, 'public-key'),
    list(inside, 'listen-port'),
  ]);
  const twin = [...hereKeys, ...insideKeys].find(
    ([name, key]) => name !== own && key === spec.publicKey,
  )?.[0];
  if (twin !== undefined)
    return fail(`${twin} also uses the tunnel's key`, `sudo ip link delete ${toShellWord(twin)}`);
  const port = ports.find(([name]) => name === own)?.[1];
  const rival = ports.find(([name, other]) => name !== own && other === port && port !== '0')?.[0];
  if (port === undefined || rival === undefined) return pass('none in the way');
  return fail(
    `${rival} listens on the tunnel's port ${port}`,
    `sudo wg set ${toShellWord(rival)} listen-port 0`,
  );
}

/**
 * Whether a datagram to the tunnel's other end may leave. Silence proves nothing here; the
 * handshake does.
 */
export async function lookAtEndpoint(host: DoctorHost): Promise<Finding> {
  const { registration } = await host.state();
  if (registration !== undefined && (await host.tunnel()) === undefined) {
    const unissued = explainUnissued(registration);
    if (unissued !== undefined) return fail(unissued.message, findAction(unissued.code));
  }
  const endpoint = await findEndpoint(host);
  if (endpoint === undefined) return skip('no tunnel was issued yet');
  const { port } = endpoint.spec.peer.endpoint;
  const code = await host.tryDatagram(endpoint.address, port);
  const where = `${endpoint.address} UDP ${port}`;
  if (code === undefined) return pass(`nothing refuses ${where}`);
  const refused = `${where} is refused: nothing listens there, or a firewall rejects it`;
  if (code === 'ECONNREFUSED')
    return fail(refused, 'Allow outgoing UDP in your router and firewall');
  return fail(`${where} cannot be sent to (${code})`, `ip route get ${endpoint.address}`);
}

/**
 * The one proof that the tunnel's other end answers, by the rule of freshness that the agent itself
 * obeys. Where the issued text cannot be read here, its keepalive is taken to be the usual one.
 */
export async function lookAtHandshake(host: DoctorHost): Promise<Finding> {
  const { tunnel, service, phase } = await host.status();
  if (tunnel.backend === null) return skip(`there is no tunnel: the agent is ${phase}`);
  const fix = `Allow outgoing UDP to ${tunnel.endpoint ?? 'the endpoint'} in your router and firewall`;
  if (tunnel.lastHandshakeAt === null) return fail(`${tunnel.endpoint} has never answered`, fix);
  const lastHandshakeAt = new Date(tunnel.lastHandshakeAt);
  const ageSeconds = (host.now().getTime() - lastHandshakeAt.getTime()) / 1000;
  const found = `${tunnel.endpoint} answered ${formatSeconds(ageSeconds)} ago`;
  const spec = await host.tunnel().catch(toUndefined());
  const persistentKeepaliveSeconds = choosePersistentKeepaliveSeconds(
    spec?.peer.persistentKeepaliveSeconds,
    service.keepaliveSeconds ?? Number.POSITIVE_INFINITY,
  );
  const isFresh = hasFreshHandshake({ lastHandshakeAt, persistentKeepaliveSeconds }, host.now());
  return isFresh ? pass(found) : fail(found, fix);
}
