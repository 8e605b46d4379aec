import { connect } from 'node:tls';
import type { OpenHandshake } from './handshake.ts';
import { certificateName } from './identity.ts';
import { createContext, openEnd, sessionProtocol, type TlsIdentity } from './tls-server.ts';

/** The consumer's end of handshakes; a provider is the server of all of its own. */
export function createTlsClient(identity: TlsIdentity): OpenHandshake {
  const secureContext = createContext(identity);
  return (events) =>
    openEnd(events, (line) => ({
      socket: connect({
        socket: line,
        secureContext,
        servername: certificateName,
        ALPNProtocols: [sessionProtocol],
        // Who the provider is, its proof says.
        rejectUnauthorized: false,
        checkServerIdentity: () => undefined,
      }),
      secured: 'secureConnect',
    }));
}
