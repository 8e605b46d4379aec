/** When to ask the service for a contract, and for how many bytes. One ask is open at a time. */
export interface Asking {
  /** The bytes to ask for now; undefined where it is not time. An ask is open then. */
  ask(waitingBytes: number, now: number): number | undefined;
  granted(): void;
  refused(now: number): void;
  /** A contract was opened: the next one may be larger. */
  opened(): void;
  /** The last answer was a refusal. */
  wasRefused(): boolean;
  /** An answer is still to come, or can be asked for soon. */
  mayBringAnother(now: number): boolean;
}

const mebibyte = 1024 * 1024;
/** The first contract of a sequence; most consumers need no more. */
const firstBytes = mebibyte;
const mostBytes = 128 * mebibyte;
/**
 * With each contract that was opened, the next is larger by a quarter of the way to the largest.
 */
const steps = 4;
/** Waits after refusals in ms; the last one is repeated. */
const retries = [1000, 2000, 4000, 5000] as const;

export function createAsking(): Asking {
  let openedCount = 0;
  let refusals = 0;
  let isOpen = false;
  let refusedAt = Number.NEGATIVE_INFINITY;

  const retryAt = (): number => {
    const wait = retries[Math.min(refusals, retries.length) - 1];
    return wait === undefined ? Number.NEGATIVE_INFINITY : refusedAt + wait;
  };

  return {
    ask(waitingBytes, now) {
      if (isOpen || now < retryAt()) return undefined;
      isOpen = true;
      const step = Math.min(steps, openedCount) / steps;
      // After a refusal the least is asked for: the consumer may not be able to pay more.
      const wanted = refusals > 0 ? firstBytes : firstBytes + step * (mostBytes - firstBytes);
      return Math.max(Math.floor(wanted), Math.ceil(1.25 * waitingBytes) + 33);
    },
    granted() {
      isOpen = false;
      refusals = 0;
    },
    refused(now) {
      isOpen = false;
      refusals++;
      refusedAt = now;
    },
    opened() {
      openedCount++;
    },
    wasRefused: () => refusals > 0,
    mayBringAnother: (now) => isOpen || (refusals === 0 && now >= retryAt()),
  };
}
