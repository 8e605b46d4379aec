import type { Logger } from './logger.ts';

interface StateChange {
  /** What changes: `service`, `tunnel`. There have to be few topics, because each is remembered. */
  readonly topic: string;
  /**
   * Names the state; a record is written only when it differs: `unreachable`, an error's code.
   * Neither it nor the topic is written: message and fields say it in the words of a reader.
   */
  readonly state: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Constant text; whatever varies belongs in the fields. */
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface StateLogger {
  /** Logs if the state of the topic differs from the last one. */
  note(change: StateChange): void;
}

/**
 * Writes one record when a state changes and none when it repeats, so that the log does not wear
 * out an SD card.
 */
export function createStateLogger(log: Logger): StateLogger {
  const states = new Map<string, string>();
  return {
    note({ topic, state, level, message, fields }) {
      if (states.get(topic) === state) return;
      states.set(topic, state);
      log[level](fields ?? {}, message);
    },
  };
}
