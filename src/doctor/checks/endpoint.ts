import { fail, pass, skip } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';
import { findEndpoint } from '../find-endpoint.ts';

/** Whether a datagram may leave for the tunnel's other end. Silence proves nothing: the handshake does. */
export async function lookAtEndpoint(doors: DoctorDoors) {
  const endpoint = await findEndpoint(doors);
  if (endpoint === undefined) return skip('no tunnel was issued yet');
  const { port } = endpoint.spec.peer.endpoint;
  const code = await doors.tryDatagram(endpoint.address, port);
  const where = `${endpoint.address} UDP ${port}`;
  if (code === undefined) return pass(`nothing refuses ${where}`);
  if (code === 'ECONNREFUSED')
    return fail(
      `${where} is refused: nobody listens, or a firewall says so`,
      'Allow outgoing UDP in your router and firewall',
    );
  return fail(`${where} cannot be sent to (${code})`, `ip route get ${endpoint.address}`);
}
