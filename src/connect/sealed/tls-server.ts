import { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { noBytes } from '../wire/frame.ts';
import type { HandshakeEvents, OpenHandshake } from './handshake.ts';
import type { Identity } from './identity.ts';

export const sessionProtocol = 'urnetwork/sequence';
/** With a group that quantum computers do not break; the other is for peers without it. */
export const sessionGroups = 'X25519MLKEM768:X25519';
const frameKeyLabel = 'urnetwork-connect-aead';
const proofLabel = 'urnetwork-connect-identity-proof';
const secretLength = 32;

/**
 * Handshakes by Node's own TLS 1.3, over bytes that are handed in. No certificate is trusted here:
 * who the peer is, its proof says.
 */
export function createTlsServer(
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
    const socket = new TLSSocket(line, {
      isServer: true,
      secureContext,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: [sessionProtocol],
    });
    let isClosed = false;
    socket.on('secure', () => {
      if (!isClosed) tellSecured(socket, events);
    });
    // Without a listener it would be thrown, also after the end.
    socket.on('error', () => {
      if (!isClosed) events.onFailed('tls');
    });
    line.on('error', () => undefined);
    return {
      // A copy: it is read later, and the message that it came in may be gone then.
      feed: (bytes) => void (isClosed || line.push(Buffer.from(bytes))),
      close() {
        isClosed = true;
        socket.destroy();
        line.destroy();
      },
    };
  };
}

export function openLine(events: HandshakeEvents): Duplex {
  return new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      // TLS uses its buffer again.
      events.onBytes(Buffer.from(bytes));
      done();
    },
  });
}

export function tellSecured(socket: TLSSocket, events: HandshakeEvents): void {
  if (socket.alpnProtocol !== sessionProtocol) events.onFailed('protocol');
  else if (socket.getPeerX509Certificate() === undefined) events.onFailed('certificate');
  else
    events.onDone({
      // In TLS 1.3, an empty context and none give the same.
      frameKey: socket.exportKeyingMaterial(secretLength, frameKeyLabel, noBytes),
      toProve: socket.exportKeyingMaterial(secretLength, proofLabel, noBytes),
    });
}
