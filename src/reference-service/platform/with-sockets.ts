import type { UsageBook } from '../usage.ts';

/** A usage book for the tunnels, which know nothing of sockets: who has one stays connected. */
export function withSockets(usage: UsageBook, hasSocket: (clientId: string) => boolean): UsageBook {
  return {
    ...usage,
    add: (sample) =>
      usage.add(
        sample.map((one) => ({ ...one, isConnected: one.isConnected || hasSocket(one.clientId) })),
      ),
  };
}
