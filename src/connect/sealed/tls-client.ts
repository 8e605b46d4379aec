import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import type { OpenHandshake } from './handshake.ts';
import { certificateName, type Identity } from './identity.ts';
import { openLine, sessionGroups, sessionProtocol, tellSecured } from './tls-server.ts';

/** The consumer's end of handshakes; a provider is the server of all of its own. */
export function createTlsClient(
  identity: Pick<Identity, 'certificate' | 'certificateKey'>,
): OpenHandshake {
  const secureContext = createSecureContext({
    key: identity.certificateKey,
    cert: identity.certificate,
    minVersion: 'TLSv1.3',
    ecdhCurve: sessionGroups,
  });
  return (events) => {
    const line = openLine(events);
    let isClosed = false;
    const socket: TLSSocket = connect({
      socket: line,
      secureContext,
      servername: certificateName,
      ALPNProtocols: [sessionProtocol],
      // Who the provider is, its proof says.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    socket.on('secureConnect', () => {
      if (!isClosed) tellSecured(socket, events);
    });
    socket.on('error', () => {
      if (!isClosed) events.onFailed('tls');
    });
    line.on('error', () => undefined);
    return {
      feed: (bytes) => void (isClosed || line.push(Buffer.from(bytes))),
      close() {
        isClosed = true;
        socket.destroy();
        line.destroy();
      },
    };
  };
}
