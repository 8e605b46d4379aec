import { formatSeconds } from '../../lib/units.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** WireGuard drops a session after so long; an otherwise silent tunnel speaks once in a keepalive interval. */
const sessionSeconds = 180;
const keepaliveDefaultSeconds = 60;

/** The one proof that the tunnel's other end answers. */
export async function lookAtHandshake(host: DoctorHost) {
  const { tunnel, service, phase } = await host.status();
  if (tunnel.backend === null) return skip(`there is no tunnel: the agent is ${phase}`);
  const fix = `Allow outgoing UDP to ${tunnel.endpoint ?? 'the endpoint'} in your router and firewall`;
  if (tunnel.lastHandshakeAt === null) return fail(`${tunnel.endpoint} has never answered`, fix);
  const ageSeconds = (host.now().getTime() - Date.parse(tunnel.lastHandshakeAt)) / 1000;
  const found = `${tunnel.endpoint} answered ${formatSeconds(ageSeconds)} ago`;
  const mostSeconds = sessionSeconds + (service.keepaliveSeconds ?? keepaliveDefaultSeconds);
  return ageSeconds <= mostSeconds ? pass(found) : fail(found, fix);
}
