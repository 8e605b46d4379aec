import type { StateMessage } from './messages.ts';
import { writeMessage } from './read-messages.ts';

/** Tells the agent how things are. */
export interface Teller {
  /**
   * Tells it where it is news, or where nothing was told for a while: by that the agent knows that
   * this process does not hang. Asked each second, it is said every fifteen seconds at least.
   */
  tell(): void;
  /** Tells it once for all that happens in one turn of the event loop. */
  tellSoon(): void;
}

export interface TellerOptions {
  readonly read: () => StateMessage;
  /** Takes a line with its line feed. */
  readonly write: (line: string) => void;
  /** False while what was written before is still unread: what is of no use later is left out. */
  readonly isHeard: () => boolean;
  /** Ms of a clock that never goes back. */
  readonly now: () => number;
}

/** The agent ends an engine that says nothing for a minute. */
const longestSilence = 14_000;

export function createTeller(options: TellerOptions): Teller {
  let told = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  let isTelling = false;

  const tell = (): void => {
    isTelling = false;
    if (!options.isHeard()) return;
    const line = writeMessage(options.read());
    const now = options.now();
    if (line === told && now - toldAt < longestSilence) return;
    options.write(line);
    [told, toldAt] = [line, now];
  };
  return {
    tell,
    tellSoon() {
      if (!isTelling) setImmediate(tell);
      isTelling = true;
    },
  };
}
