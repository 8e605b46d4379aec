import type { Duplex } from 'node:stream';

/** The open connections of proxies, each noted for its client until it closes. */
export interface HeldEnds {
  /**
   * Notes ends that belong together.
   * @throws where one of them is closed already or the client is gone; then all are closed
   */
  hold(clientId: string, ends: readonly Duplex[]): void;
  /** Ends the connections of clients that are there no more. */
  closeGone(): void;
  close(): void;
}

export function createHeldEnds(isThere: (clientId: string) => boolean): HeldEnds {
  const held = new Map<Duplex, string>();
  return {
    hold(clientId, ends) {
      for (const end of ends) end.on('error', () => end.destroy());
      // While the other end was reached, its `close` may have come and gone.
      if (ends.some(({ destroyed }) => destroyed) || !isThere(clientId)) {
        for (const end of ends) end.destroy();
        throw new Error('one end is closed already');
      }
      for (const end of ends)
        held.set(
          end.on('close', () => held.delete(end)),
          clientId,
        );
    },
    closeGone() {
      for (const [end, clientId] of held) if (!isThere(clientId)) end.destroy();
    },
    close() {
      for (const end of held.keys()) end.destroy();
    },
  };
}
