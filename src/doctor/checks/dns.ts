import { isIP } from 'node:net';
import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The names of the service and of the tunnel's other end. */
export async function lookAtDns(host: DoctorHost) {
  const { hostname } = new URL((await host.configuration()).config.service.base_url);
  const endpoint = await host.tunnel().then(
    (spec) => spec?.peer.endpoint.host,
    () => undefined,
  );
  const names = [...new Set([hostname.replace(/^\[(.*)\]$/, '$1'), endpoint ?? ''])].filter(
    (name) => name !== '' && isIP(name) === 0,
  );
  if (names.length === 0) return pass('not needed: every address is a number');
  const resolved = await Promise.all(names.map(async (name) => ({ name, address: await host.resolve(name) })));
  const missing = resolved.find(({ address }) => address === undefined);
  if (missing === undefined) return pass(resolved.map(({ name, address }) => `${name} is ${address}`).join(', '));
  return fail(
    `${missing.name} has no address`,
    `Check the name servers in /etc/resolv.conf: getent ahosts ${missing.name}`,
  );
}
