import type { ClientUsage } from './usage-unit.ts';

/** What consumers had of a client in some stretch. */
type Served = Pick<ClientUsage, 'sessions' | 'consumerBytes' | 'bytesPerSecond'>;

/** Less than this between two looks is WireGuard's own keepalives and handshakes, not a consumer. */
const leastMovedBytes = 2048;
/** A consumer who is back after so long a silence counts as another session. */
const sessionGapMs = 60_000;
/** Speed is told of what was served in so long at least. */
const leastServedMs = 1000;

/** The share of a client that was not given consumers' traffic. */
export const servedNobody: Served = { sessions: 0, consumerBytes: 0, bytesPerSecond: undefined };

/** Consumers' traffic from now on, as it goes to one client after the other; none has it yet. */
export function createConsumerSessions() {
  let currentKey: string | undefined;
  let session: { readonly movedMs: number } | undefined;
  let measureSpeed = createSpeedometer();
  return {
    /** Says which client has it from now on; undefined for none. The same one again changes nothing. */
    giveTo(publicKey: string | undefined): void {
      if (publicKey !== currentKey) session = undefined;
      currentKey = publicKey;
    },
    /** Takes what moved at the one that has it. */
    move({
      bytes,
      durationMs,
      atMs,
    }: {
      readonly bytes: number;
      readonly durationMs: number;
      readonly atMs: number;
    }): Served {
      if (bytes < leastMovedBytes) return { ...servedNobody, consumerBytes: session === undefined ? 0 : bytes };
      const isNew = session === undefined || atMs - session.movedMs > sessionGapMs;
      session = { movedMs: atMs };
      if (isNew) measureSpeed = createSpeedometer();
      return { sessions: isNew ? 1 : 0, consumerBytes: bytes, bytesPerSecond: measureSpeed(bytes, durationMs) };
    },
  } as const;
}

/** Takes what was served in stretches; now and then it says bytes a second. */
function createSpeedometer() {
  let bytes = 0;
  let servedMs = 0;
  return (moreBytes: number, stretchMs: number): number | undefined => {
    bytes += moreBytes;
    servedMs += stretchMs;
    if (servedMs < leastServedMs) return undefined;
    const bytesPerSecond = (bytes * 1000) / servedMs;
    bytes = 0;
    servedMs = 0;
    return bytesPerSecond;
  };
}
