import { LabError } from '../lab/lab-error.ts';

/** How the packaged unit deals with an agent that ends or hangs, in seconds. */
export interface UnitTimes {
  /** From the agent's end to its next start. */
  readonly restartSeconds: number;
  /** After a longer silence the agent is killed. */
  readonly watchdogSeconds: number;
}

const secondsOf: Readonly<Record<string, number>> = { ms: 0.001, '': 1, s: 1, sec: 1, min: 60 };

/** Reads the times from the text of a systemd unit. @throws LabError */
export function readUnitTimes(unit: string): UnitTimes {
  const read = (name: string) => {
    const text = new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1] ?? '';
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|sec|s|min|)(?=\s|\d|$)/g)];
    const seconds = parts.reduce(
      (sum, [, count, word = '']) => sum + Number(count) * (secondsOf[word] ?? 0),
      0,
    );
    if (seconds > 0) return seconds;
    throw new LabError(`the unit has no ${name} that is understood: ${text}`);
  };
  return { restartSeconds: read('RestartSec'), watchdogSeconds: read('WatchdogSec') };
}
