import { readInstallId } from '../../identity/device-marker.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Registered once, and still known to the service. */
export async function lookAtClient(host: DoctorHost) {
  const { identity, registration } = await host.state();
  const clientId = registration?.clientId ?? identity?.clientId;
  if (clientId === undefined) return skip('not registered yet; the agent does it');
  const rows = await host.clients();
  if (!rows.some((row) => row.clientId === clientId)) {
    return fail(`the service no longer lists ${clientId}`, 'sudo tributary login --new-device');
  }
  const others = rows.filter(
    (row) => row.clientId !== clientId && readInstallId(row.deviceSpec) === identity?.installId,
  );
  const [other] = identity === undefined ? [] : others;
  if (other === undefined) return pass(`${clientId}, listed once`);
  return fail(`this device is listed again, as ${other.clientId}`, `Remove ${other.clientId} with the service`);
}
