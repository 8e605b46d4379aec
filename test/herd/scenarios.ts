import { TributaryError } from '../../src/errors/codes.ts';
import { readRetryAfterSeconds } from '../../src/service/retry-after.ts';

/** What the service does for a while; minutes since all devices were switched on. */
interface Spell {
  readonly fromMinute: number;
  readonly untilMinute: number;
  /** Minute that it names in Retry-After; undefined: it does not answer at all. */
  readonly awayUntilMinute: number | undefined;
}

interface Phase {
  readonly name: string;
  readonly fromMinute: number;
  readonly untilMinute: number;
}

/** One life of a fleet, from the same switching on. */
export interface Scenario {
  readonly name: string;
  readonly cron: string;
  /** `production`: it refuses to be told the mode, always. */
  readonly profile: 'documented' | 'production';
  readonly spells: readonly Spell[];
  /** The owner's schedule asks for another mode at this minute, everywhere; undefined: never. */
  readonly modeMinute: number | undefined;
  readonly phases: readonly Phase[];
}

/** The phase whose mean is the usual load. */
export const restName = 'rest';

/** Power comes back at 09:40 UTC; the full hour is in minute 20. */
export const bootAtMs = Date.UTC(2026, 2, 14, 9, 40);

export const scenarios: readonly Scenario[] = [
  {
    name: 'everything that may happen',
    cron: '*/15 * * * *',
    profile: 'documented',
    spells: [
      { fromMinute: 30, untilMinute: 40, awayUntilMinute: undefined },
      { fromMinute: 55, untilMinute: 62, awayUntilMinute: 62 },
    ],
    modeMinute: 72,
    phases: [
      { name: 'switched on together', fromMinute: 0, untilMinute: 15 },
      { name: restName, fromMinute: 15, untilMinute: 30 },
      { name: 'the service is gone', fromMinute: 30, untilMinute: 40 },
      { name: 'it is back', fromMinute: 40, untilMinute: 55 },
      { name: 'it names a time in Retry-After', fromMinute: 55, untilMinute: 62 },
      { name: 'after that time', fromMinute: 62, untilMinute: 72 },
      { name: 'schedules change the mode', fromMinute: 72, untilMinute: 82 },
    ],
  },
  {
    name: 'reports every hour',
    cron: '0 * * * *',
    profile: 'documented',
    spells: [],
    modeMinute: undefined,
    phases: [{ name: 'the full hour', fromMinute: 18, untilMinute: 36 }],
  },
  {
    name: 'the production profile',
    cron: '*/15 * * * *',
    profile: 'production',
    spells: [],
    modeMinute: undefined,
    phases: [{ name: 'switched on together, production', fromMinute: 0, untilMinute: 12 }],
  },
];

/**
 * @throws what the service client throws while the scenario's service does not answer, or sends
 * everyone away
 */
export function refuseNow({ spells }: Scenario, sinceBootMs: number): void {
  const minute = sinceBootMs / 60_000;
  const spell = spells.find(
    ({ fromMinute, untilMinute }) => minute >= fromMinute && minute < untilMinute,
  );
  if (spell === undefined) return;
  const { awayUntilMinute } = spell;
  if (awayUntilMinute === undefined)
    throw new TributaryError('service-unreachable', 'no answer', { maybeSent: false });
  const date = new Date(bootAtMs + awayUntilMinute * 60_000).toUTCString();
  const retryAfterSeconds = readRetryAfterSeconds(date, bootAtMs + sinceBootMs);
  throw new TributaryError('service-failed', 'the service failed (503)', {
    maybeSent: true,
    retryAfterSeconds,
  });
}
