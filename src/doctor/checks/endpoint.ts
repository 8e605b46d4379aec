import { fail, pass, skip } from '../check.ts';
import { findEndpoint } from '../find-endpoint.ts';
import type { DoctorHost } from '../host.ts';

/** Whether a datagram may leave for the tunnel's other end. Silence proves nothing: the handshake does. */
export async function lookAtEndpoint(host: DoctorHost) {
  const endpoint = await findEndpoint(host);
  if (endpoint === undefined) return skip('no tunnel was issued yet');
  const { port } = endpoint.spec.peer.endpoint;
  const code = await host.tryDatagram(endpoint.address, port);
  const where = `${endpoint.address} UDP ${port}`;
  if (code === undefined) return pass(`nothing refuses ${where}`);
  if (code === 'ECONNREFUSED')
    return fail(
      `${where} is refused: nobody listens, or a firewall says so`,
      'Allow outgoing UDP in your router and firewall',
    );
  return fail(`${where} cannot be sent to (${code})`, `ip route get ${endpoint.address}`);
}
