import type { Secret } from '../lib/secret.ts';

/** A tunnel as the service issued it, untouched: untrusted until `parseIssuedTunnel` has looked at it. */
export interface IssuedTunnel {
  /** The wg-quick text. */
  readonly text: Secret;
  /** Structured fields beside the text, for the cross-check; undefined where the service gave none. */
  readonly proxyHost: string | undefined;
  readonly proxyPort: number | undefined;
  readonly proxyPublicKey: string | undefined;
  readonly privateKey: Secret | undefined;
  readonly publicKey: string | undefined;
  /** With a prefix length (documented) or bare (production). */
  readonly address: string | undefined;
}
