import type { Logger } from './logger.ts';

interface StateChange {
  /** What changes: `service`, `tunnel`. One of a fixed few, as each is remembered. */
  readonly topic: string;
  /** What makes it the same state again: `unreachable`, an error's code. */
  readonly state: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Constant text; what varies goes into the fields. */
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** One record per change of a state, none per repetition: a log that wears out no SD card. */
export function createStateLogger(log: Logger) {
  const states = new Map<string, string>();
  return {
    /** Logs when `topic` is in another state than it was last told to be in. */
    note({ topic, state, level, message, fields }: StateChange): void {
      if (states.get(topic) === state) return;
      states.set(topic, state);
      log[level]({ topic, state, ...fields }, message);
    },
  };
}
