import { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { noBytes } from '../wire/frame.ts';
import type { Handshake, HandshakeEvents, OpenHandshake } from './handshake.ts';
import type { Identity } from './identity.ts';

export const sessionProtocol = 'urnetwork/sequence';
/** With a group that quantum computers do not break; the other is for peers without it. */
const sessionGroups = 'X25519MLKEM768:X25519';
const frameKeyLabel = 'urnetwork-connect-aead';
const proofLabel = 'urnetwork-connect-identity-proof';
const secretLength = 32;

/**
 * Handshakes by Node's own TLS 1.3, over bytes that are handed in. No certificate is trusted here:
 * who the peer is, its proof says.
 */
export function createTlsServer(identity: TlsIdentity): OpenHandshake {
  const secureContext = createContext(identity);
  return (events) =>
    openEnd(events, (line) => ({
      socket: new TLSSocket(line, {
        isServer: true,
        secureContext,
        requestCert: true,
        rejectUnauthorized: false,
        ALPNProtocols: [sessionProtocol],
      }),
      secured: 'secure',
    }));
}

export type TlsIdentity = Pick<Identity, 'certificate' | 'certificateKey'>;

/** What both ends of a handshake say of themselves and accept. */
export function createContext({ certificate, certificateKey }: TlsIdentity): SecureContext {
  return createSecureContext({
    key: certificateKey,
    cert: certificate,
    minVersion: 'TLSv1.3',
    ecdhCurve: sessionGroups,
  });
}

/** Either end of a handshake: the socket over its line, and the event by which it is secured. */
export function openEnd(
  events: HandshakeEvents,
  open: (line: Duplex) => {
    readonly socket: TLSSocket;
    readonly secured: 'secure' | 'secureConnect';
  },
): Handshake {
  const line = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      // TLS uses its buffer again.
      events.onBytes(Buffer.from(bytes));
      done();
    },
  });
  const { socket, secured } = open(line);
  let isClosed = false;
  socket.on(secured, () => {
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
}

function tellSecured(socket: TLSSocket, events: HandshakeEvents): void {
  if (socket.alpnProtocol !== sessionProtocol) events.onFailed('protocol');
  else if (socket.getPeerX509Certificate() === undefined) events.onFailed('certificate');
  else
    events.onDone({
      // In TLS 1.3, an empty context and none give the same.
      frameKey: socket.exportKeyingMaterial(secretLength, frameKeyLabel, noBytes),
      toProve: socket.exportKeyingMaterial(secretLength, proofLabel, noBytes),
    });
}
