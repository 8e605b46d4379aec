import { specialPrefixes, tableName } from '../../gateway/policy.ts';
import { chooseRouter, chooseUplink, listPublicAddresses } from '../../gateway/uplink.ts';
import { explainNoWay, findWayOut, listDefaultRoutes, listDetours } from '../../gateway/way-out.ts';
import { findAction } from '../../health/reasons.ts';
import { isInAny } from '../../lib/addresses.ts';
import { hostSide } from '../../namespace/plan.ts';
import { listDevices } from '../../source/drivers.ts';
import { type Network, observeRoutes } from '../../system/ip.ts';
import { observeNftTable } from '../../system/nft.ts';
import { type Finding, fail, pass, warn } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The agent changes only its own network namespace. Without one it needs a way to make one. */
export async function lookAtNamespace(host: DoctorHost): Promise<Finding> {
  const place = await host.place();
  if (place.kind === 'own')
    return pass("this network namespace, which holds none of the host's hardware");
  if (place.inside !== undefined) return pass(`tributary, on this host (${place.hardware})`);
  const isRoot = host.userId === 0;
  const hasPasta = await Promise.all(
    ['/usr/bin/pasta', '/usr/local/bin/pasta'].map(host.disk.isThere),
  );
  if (isRoot || hasPasta.includes(true)) {
    const how = isRoot ? 'when it starts' : 'with pasta';
    return pass(`the host's own (${place.hardware}); the agent creates its own ${how}`);
  }
  return fail(
    `the host's own (${place.hardware}), and this user cannot create one`,
    'sudo apt-get install passt',
  );
}

/** Whether the kernel sends packets to the Internet, by an interface that is up. */
export async function lookAtUplink(host: DoctorHost): Promise<Finding> {
  const here = await host.networkHere();
  const { interfaces, ways } = here;
  const settings = await findUplinkSettings(host);
  const uplink = chooseUplink(here, settings);
  const isHost = (await host.place()).kind === 'host';
  // A container shares over IPv6 alone; on a host the namespace is led out over IPv4.
  const isAlone = isHost && here.ways.length > 0;
  const why =
    (uplink === undefined || isAlone) && settings.configured === undefined
      ? explainNoWay(here)
      : undefined;
  if (why !== undefined)
    return fail(`nothing leaves over IPv4: ${why}`, 'See: ip -4 route show table all');
  if (uplink !== undefined) return describeUplink(here, uplink);
  if (settings.configured !== undefined) {
    const isThere = interfaces.some((own) => own.name === settings.configured);
    const fix = isThere
      ? `sudo ip link set ${settings.configured} up`
      : 'Name another in gateway.uplink: ip -br link';
    return fail(
      `gateway.uplink is ${settings.configured}, which is ${isThere ? 'down' : 'not there'}`,
      fix,
    );
  }
  const route = listDefaultRoutes(here.routes).find((own) => own.interface !== undefined);
  const isDown = interfaces.some((own) => own.name === route?.interface && !own.isUp);
  if (isDown)
    return fail(
      `the default route is via ${route?.interface}, which is down`,
      `sudo ip link set ${route?.interface} up`,
    );
  if (route === undefined && ways.length === 0)
    return fail('there is no default route', 'Check the cable or Wi-Fi, then: sudo dhclient -v');
  return fail(
    'the kernel knows no way to the Internet, by any rule or table',
    'See what it answers: ip route get 193.0.14.129; ip rule; ip route show table all',
  );
}

function describeUplink(here: Network, uplink: string): Finding {
  const way = findWayOut(here, uplink, 4) ?? findWayOut(here, uplink, 6);
  const gateway = way?.gateway ?? way?.otherGateway;
  const via = gateway === undefined ? 'without a gateway' : `via ${gateway}`;
  const others = [...new Set(here.ways.map(({ interface: name }) => name))].filter(
    (name) => name !== uplink,
  );
  const isLed = listDetours(here, uplink).length > 0 && others.length > 0;
  const beside = isLed ? `; this machine's own traffic leaves by ${others.join(', ')}` : '';
  return pass(`${uplink}, ${via}${beside}`);
}

/** The settings that decide the uplink, on a host as `namespace up` has them. */
async function findUplinkSettings(host: DoctorHost) {
  const { config } = await host.configuration();
  const isHost = (await host.place()).kind === 'host';
  return {
    configured: config.gateway.uplink,
    devices: isHost ? [hostSide] : listDevices(config),
  };
}

const ownRange = '100.64.0.0/10';
const ownTable = '52';

/**
 * An exit node takes all traffic to the Internet, and Tailscale drops packets from its own range
 * that come from elsewhere.
 */
export async function lookAtTailscale(host: DoctorHost): Promise<Finding> {
  const here = await observeRoutes(host.exec, 4);
  if (here.some(({ table, destination }) => table === ownTable && destination === 'default')) {
    return fail(
      "Tailscale's exit node takes all Internet traffic",
      'sudo tailscale set --exit-node=',
    );
  }
  if ((await host.place()).kind === 'host') return pass("not in the agent's namespace");
  const { interfaces } = await host.network();
  if (!interfaces.some(({ name }) => name.startsWith('tailscale')))
    return pass('not beside the agent');
  const spec = await host.tunnel().catch(() => undefined);
  const clash = spec?.addresses.find(({ address }) => isInAny(address, [ownRange]));
  if (clash === undefined) return pass('beside the agent, and out of its way');
  return fail(
    `Tailscale drops the tunnel's range (${clash.address} is in ${ownRange})`,
    'sudo tributary namespace up',
  );
}

const networkdSettings = '/etc/systemd/networkd.conf.d/tributary.conf';
const fence = 5181;

/**
 * systemd-networkd deletes routing rules that it did not make, but only in its own network
 * namespace.
 */
export async function lookAtNetworkd(host: DoctorHost): Promise<Finding> {
  const isThere = await host.disk.isThere('/run/systemd/netif/state');
  if (!isThere) return pass('does not run here');
  if ((await host.place()).kind === 'host') return pass("keeps to the host's namespace");
  const texts = await Promise.all(
    ['/etc/systemd/networkd.conf', networkdSettings].map(host.disk.read),
  );
  if (texts.some((text) => /^ManageForeignRoutingPolicyRules=(no|false|0)$/m.test(text ?? ''))) {
    return pass("leaves other programs' routing rules alone");
  }
  const { rules, interfaces } = await host.network();
  const devices = listDevices((await host.configuration()).config);
  const isDeviceThere = interfaces.some(({ name }) => devices.includes(name));
  if (!isDeviceThere || rules.some(({ priority }) => priority === fence))
    return pass('has left the routing rules alone so far');
  const text = '[Network]\\nManageForeignRoutingPolicyRules=no\\n';
  return fail(
    "systemd-networkd deletes the agent's routing rules",
    `printf '${text}' | sudo tee ${networkdSettings}`,
  );
}

/** The ports that routers, and machines behind them, most often open. */
const triedPorts = [22, 23, 53, 80, 443, 7547, 8080, 8443];

/**
 * The home's public address: whether it is known, what answers there from inside, and whether it is
 * refused.
 */
export async function lookAtOutside(host: DoctorHost): Promise<Finding> {
  const { gateway } = (await host.configuration()).config;
  const here = await host.networkHere();
  const uplink = chooseUplink(here, await findUplinkSettings(host));
  const own = listPublicAddresses(here.interfaces, uplink);
  if (own.length > 0) return pass(`${own.join(', ')}, this device's own`);
  const { ask_router: natPmp, upnp, stun, fixed } = gateway.public_address;
  const isAsked = natPmp || upnp || stun !== undefined;
  const router = chooseRouter(here, uplink);
  const { addresses: told } = isAsked
    ? await host.askOutside({ router, natPmp, upnp, stun })
    : { addresses: [] };
  const addresses = [...new Set([...told, ...(fixed === undefined ? [] : [fixed])])].sort();
  if (addresses.length > 0) return lookAtAddresses(host, addresses, gateway.allow_destinations);
  const whose = router === undefined ? 'the network' : `your router (${router})`;
  const why = isAsked
    ? `${whose} does not tell your public address`
    : 'gateway.public_address lets nobody be asked for your public address';
  return warn(
    `${why}. Consumers may reach what your router shows at that address, such as its own page`,
    findAction('outside-unknown'),
  );
}

async function lookAtAddresses(
  host: DoctorHost,
  addresses: readonly string[],
  allowed: readonly string[],
) {
  const tried = addresses.flatMap((address) => triedPorts.map((port) => [address, port] as const));
  const outcomes = await Promise.all(
    tried.map(async (one) => ((await host.tryConnection(...one)) ? [one[1]] : [])),
  );
  const ports = [...new Set(outcomes.flat())];
  const shown = addresses.join(', ');
  const found =
    ports.length === 0
      ? 'nothing answers there from inside'
      : `answers from inside on ${ports.join(', ')}`;
  if (addresses.some((address) => isInAny(address, allowed))) {
    return pass(`${shown} ${found}; gateway.allow_destinations lets consumers reach it`);
  }
  const refused = await findRefused(host);
  if (
    refused === undefined ||
    addresses.every((address) => isInAny(address, [...refused, ...specialPrefixes.v4]))
  ) {
    const word = refused === undefined ? 'the agent refuses it' : 'it is refused';
    return pass(`${shown} ${found}; ${word} to consumers`);
  }
  return fail(
    `${shown} ${found}, and is not refused to consumers`,
    'sudo systemctl restart tributary',
  );
}

/**
 * The device's own networks in the kernel's rules; undefined where no agent runs, or this user may
 * not look.
 */
async function findRefused(host: DoctorHost): Promise<readonly string[] | undefined> {
  if (!(await host.isNetworkAdmin())) return undefined;
  const exec = await host.inside().catch(() => undefined);
  return exec && (await observeNftTable(exec, tableName))?.sets.get('own4');
}
