import { chooseUplink } from '../../gateway/uplink.ts';
import { hostSide } from '../../namespace/plan.ts';
import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** A default route over an interface that is up. */
export async function lookAtUplink(host: DoctorHost) {
  const { gateway, tunnel } = (await host.configuration()).config;
  const { routes, interfaces } = await host.networkHere();
  const isOnHost = (await host.place()).kind === 'host';
  // What the configuration names is in the agent's namespace; the way out of that is the host's.
  const configured = isOnHost ? undefined : gateway.uplink;
  const uplink = chooseUplink(
    { routes, interfaces },
    { configured, tunnelInterface: isOnHost ? hostSide : tunnel.interface },
  );
  if (uplink !== undefined) return pass(`${uplink}, ${describeGateway(routes, uplink)}`);
  if (configured !== undefined) {
    const isThere = interfaces.some((own) => own.name === configured);
    const fix = isThere ? `sudo ip link set ${configured} up` : 'Name another in gateway.uplink: ip -br link';
    return fail(`gateway.uplink is ${configured}, which is ${isThere ? 'down' : 'not there'}`, fix);
  }
  const withRoute = routes.find(({ table, destination }) => table === 'main' && destination === 'default');
  if (withRoute === undefined)
    return fail('there is no default route', 'Check the cable or Wi-Fi, then: sudo dhclient -v');
  return fail(
    `the default route is by ${withRoute.interface}, which is down`,
    `sudo ip link set ${withRoute.interface} up`,
  );
}

function describeGateway(routes: Awaited<ReturnType<DoctorHost['networkHere']>>['routes'], uplink: string): string {
  const gateway = routes.find((own) => own.destination === 'default' && own.interface === uplink)?.gateway;
  return gateway === undefined ? 'default route without a gateway' : `default route by ${gateway}`;
}
