import { findCollision, listOwnPrefixes } from '../../gateway/uplink.ts';
import { isInAny } from '../../lib/addresses.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** The tunnel and a network of the owner's cannot share addresses. */
export async function lookAtCollision(host: DoctorHost) {
  const spec = await host.tunnel();
  if (spec === undefined) return skip('no tunnel was issued yet');
  const { tunnel } = (await host.configuration()).config;
  const { interfaces } = await host.network();
  const addresses = spec.addresses.map((own) => own.address);
  const collision = findCollision(addresses, listOwnPrefixes(interfaces, tunnel.interface));
  if (collision === undefined) return pass(`${addresses.join(', ')} is nobody else's here`);
  const where = interfaces.find(
    (own) => own.name !== tunnel.interface && isInAny(collision, listOwnPrefixes([own], tunnel.interface)),
  );
  return fail(
    `the tunnel's address ${collision} is in the network of ${where?.name}`,
    `Give that network another range, in your router or with: sudo ip address flush dev ${where?.name}`,
  );
}
