/** One end of a TLS handshake. What comes of it is told by `HandshakeEvents`, maybe later. */
export interface Handshake {
  /** The peer's next bytes. */
  feed(bytes: Buffer): void;
  /** Lets it go; nothing is told any more. */
  close(): void;
}

export interface HandshakeEvents {
  /** Bytes for the peer. */
  readonly onBytes: (bytes: Buffer) => void;
  /** Both ends have the same secrets; who the other one is, nobody has said yet. */
  readonly onDone: (secrets: HandshakeSecrets) => void;
  readonly onFailed: (failure: HandshakeFailure) => void;
}

/** What both ends derived, and nobody between them. */
export interface HandshakeSecrets {
  /** The key of frames; 32 bytes. */
  readonly frameKey: Buffer;
  /** What both ends sign by their seeds; 32 bytes. */
  readonly toProve: Buffer;
}

export type HandshakeFailure = 'tls' | 'protocol' | 'certificate';

export type OpenHandshake = (events: HandshakeEvents) => Handshake;

/**
 * All handshakes that wait for their peers. Where one more would be too many, the oldest is given
 * up: a peer that only begins handshakes keeps nobody else from ending one.
 */
export interface HandshakePool {
  enter(giveUp: () => void): { leave(): void };
  count(): number;
}

export function createHandshakePool(most: number): HandshakePool {
  const open = new Set<() => void>();
  return {
    enter(giveUp) {
      const [oldest] = open;
      if (open.size >= most && oldest !== undefined) {
        open.delete(oldest);
        oldest();
      }
      open.add(giveUp);
      return { leave: () => void open.delete(giveUp) };
    },
    count: () => open.size,
  };
}
