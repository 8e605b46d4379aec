import { isOfMissingPart, messageOf } from '../errors/codes.ts';
import type { Problem } from '../health/problem.ts';
import type { Logger } from '../report/logger.ts';
import { createStateLogger } from '../report/state-logger.ts';

/** What went wrong in parts without which the agent shares on. */
export interface Failures {
  /** Counts it, and logs it where it is another one than the last of this part. */
  note(part: string, error: unknown): void;
  /** Why the agent lacks a part of its program until it is started again. */
  missingPart(): Problem<'program-replaced'> | undefined;
  /** How often each part has failed since the start. */
  counts(): Readonly<Record<string, number>>;
}

/** @param onMissingPart hears of each failure by a part of the program that is gone */
export function createFailures(
  log: Logger,
  onMissingPart: (error: unknown) => void = () => undefined,
): Failures {
  const states = createStateLogger(log);
  const counts: Record<string, number> = {};
  let missingPart: Problem<'program-replaced'> | undefined;
  return {
    note(part, error) {
      counts[part] = (counts[part] ?? 0) + 1;
      const reason = messageOf(error);
      const isMissingPart = isOfMissingPart(error);
      if (isMissingPart) {
        onMissingPart(error);
        const message = `A part of the program is gone, as after an upgrade, so this does not work: ${part}. Sharing goes on.`;
        missingPart ??= { code: 'program-replaced', message, since: new Date() };
      }
      const message = isMissingPart
        ? 'a part of the program is gone, as after an upgrade; start the agent again'
        : 'a part of the agent failed; it shares on without it';
      states.note({ topic: part, state: reason, level: 'error', message, fields: { reason } });
    },
    missingPart: () => missingPart,
    counts: () => counts,
  };
}
