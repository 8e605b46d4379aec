import { isIP } from 'node:net';
import { fail, pass } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';

/** The names of the service and of the tunnel's other end. */
export async function lookAtDns(doors: DoctorDoors) {
  const { hostname } = new URL((await doors.configuration()).config.service.base_url);
  const endpoint = await doors.tunnel().then(
    (spec) => spec?.peer.endpoint.host,
    () => undefined,
  );
  const names = [...new Set([hostname.replace(/^\[(.*)\]$/, '$1'), endpoint ?? ''])].filter(
    (name) => name !== '' && isIP(name) === 0,
  );
  if (names.length === 0) return pass('not needed: every address is a number');
  const resolved = await Promise.all(names.map(async (name) => ({ name, address: await doors.resolve(name) })));
  const missing = resolved.find(({ address }) => address === undefined);
  if (missing === undefined) return pass(resolved.map(({ name, address }) => `${name} is ${address}`).join(', '));
  return fail(
    `${missing.name} has no address`,
    `Check the name servers in /etc/resolv.conf: getent ahosts ${missing.name}`,
  );
}
