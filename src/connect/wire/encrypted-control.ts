import type { Id } from './id.ts';
import { bytes, flag, integer, type Message, optionalId } from './message.ts';

/** What an EncryptedControl carries, by its `kind`; other numbers are ignored. */
export const controlKinds = {
  /** Bytes of TLS. */
  handshake: 1,
  /** The sender's signature over what both ends derived from the handshake. */
  proof: 2,
  /** "I cannot open what you seal." */
  nack: 3,
} as const;

/** Which end of a session a peer is; the client began it. */
export const sessionRoles = { client: 1, server: 2 } as const;

/** One message of an encrypted session; it always goes in plaintext, in a Pack of its own. */
export interface EncryptedControl {
  readonly kind: number;
  readonly payload: Buffer;
  /** The sender's own. */
  readonly role: number;
  /** The session that goes with the consumer's companion lanes. */
  readonly isCompanion: boolean;
  /** Which handshake of the session it belongs to: a larger one is newer. */
  readonly epochId: Id | undefined;
}

export const encryptedControl: Message<EncryptedControl> = {
  kind: [1, integer],
  payload: [2, bytes],
  role: [3, integer],
  isCompanion: [4, flag],
  epochId: [5, optionalId],
};

/** The public half of a client's seed: 32 bytes. */
export interface ClientKey {
  readonly publicKey: Buffer;
}

export const clientKey: Message<ClientKey> = { publicKey: [1, bytes] };

/** The certificates that a client shows, and its signature over all of them. */
export interface EncryptedKey {
  /** Each in PEM form, with its last line feed. */
  readonly certificates: readonly Buffer[];
  readonly signature: Buffer;
}

export const encryptedKey: Message<EncryptedKey> = {
  certificates: [
    1,
    {
      absent: [],
      read: (scanner, before) => [...before, scanner.bytes()],
      write(encoder, field, values) {
        for (const value of values.toReversed()) encoder.bytes(field, value);
      },
    },
  ],
  signature: [2, bytes],
};
