import { Duplex } from 'node:stream';
import { connect, createSecureContext } from 'node:tls';
import type { IdentityData } from '../../../src/connect/sealed/identity.ts';

/** The consumer's end of a handshake, by Node's own TLS. */
export interface TlsClient {
  feed(bytes: Buffer): void;
  /** What it has written since. */
  take(): Buffer;
  readonly secrets: () => { readonly frameKey: Buffer; readonly toProve: Buffer } | undefined;
  readonly group: () => string | undefined;
  end(): void;
}

export function createTlsClient(
  identity: Pick<IdentityData, 'certificate' | 'certificateKey'>,
  how: { readonly groups?: string; readonly protocol?: string; readonly hasCertificate?: boolean },
): TlsClient {
  const { groups = 'X25519MLKEM768:X25519', protocol = 'urnetwork/sequence' } = how;
  let written: Buffer[] = [];
  const line = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      written.push(Buffer.from(bytes));
      done();
    },
  });
  const { certificateKey: key, certificate: cert } = identity;
  const shown = how.hasCertificate === false ? {} : { key, cert };
  const socket = connect({
    socket: line,
    secureContext: createSecureContext({ ...shown, minVersion: 'TLSv1.3', ecdhCurve: groups }),
    servername: 'urnetwork-sequence',
    ALPNProtocols: [protocol],
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
  let secrets: ReturnType<TlsClient['secrets']>;
  let group: string | undefined;
  socket.on('secureConnect', () => {
    const none = Buffer.alloc(0);
    secrets = {
      frameKey: socket.exportKeyingMaterial(32, 'urnetwork-connect-aead', none),
      toProve: socket.exportKeyingMaterial(32, 'urnetwork-connect-identity-proof', none),
    };
    const key = socket.getEphemeralKeyInfo();
    group = key !== null && 'name' in key ? key.name : undefined;
  });
  socket.on('error', () => undefined);
  line.on('error', () => undefined);
  return {
    feed: (bytes) => void line.push(bytes),
    take() {
      const bytes = Buffer.concat(written);
      written = [];
      return bytes;
    },
    secrets: () => secrets,
    group: () => group,
    end() {
      socket.destroy();
      line.destroy();
    },
  };
}
