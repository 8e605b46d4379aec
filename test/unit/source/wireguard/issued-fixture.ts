import type { IssuedTunnel } from '../../../../src/identity/registration-files.ts';
import { Secret } from '../../../../src/lib/secret.ts';

/** Two real key pairs, made for these tests and used nowhere else. */
export const clientKeys = {
  privateKey: 'AIyyarjXtngGA0JKiN7fgJEOv/C16DqCLxTkehbHGXw=',
  publicKey: 'nqlRavM0fslGui6FMpEH8Om9G/uXeCvVQvXwQiC94xU=',
};
export const proxyPublicKey = '5KaR48Tuc/Iaqk7yDe3kuxfANhPjHF2NNR91saSTHlI=';

/**
 * The text as a production service issues it, line by line; a change replaces the line with that
 * key.
 */
export function renderIssuedText(
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const lines: Readonly<Record<string, string>> = {
    '[Interface]': '[Interface]',
    PrivateKey: `PrivateKey = ${clientKeys.privateKey}`,
    Address: 'Address = 10.23.45.67/32',
    DNS: 'DNS = 1.1.1.1',
    gap: '',
    '[Peer]': '[Peer]',
    PublicKey: `PublicKey = ${proxyPublicKey}`,
    Endpoint: 'Endpoint = proxy.example.net:51820',
    AllowedIPs: 'AllowedIPs = 0.0.0.0/0',
    PersistentKeepalive: 'PersistentKeepalive = 25',
  };
  return Object.entries(lines)
    .flatMap(([key, line]) => (key in changes ? (changes[key] ?? []) : line))
    .join('\n');
}

/** An issued tunnel whose structured fields say nothing unless given. */
export function createIssued(text: string, fields: Partial<IssuedTunnel> = {}): IssuedTunnel {
  return {
    text: new Secret(text),
    proxyHost: undefined,
    proxyPort: undefined,
    proxyPublicKey: undefined,
    privateKey: undefined,
    publicKey: undefined,
    address: undefined,
    ...fields,
  };
}
