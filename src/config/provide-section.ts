import * as z from 'zod';
import { provideModes } from '../service/profiles.ts';
import { bitRate, byteAmount } from './amounts.ts';
import { cronExpression, listOf, oneOf, timeZoneName, wholeNumber } from './values.ts';

const rateLimit = z
  .strictObject({
    line: bitRate
      .optional()
      .describe(
        'Most that sharing puts on your line, each way, with unit: "20 Mbit". Absent: no limit.',
      ),
  })
  .describe('Most data per second.');

const scheduleEntry = z.strictObject({
  cron: cronExpression.describe(
    'Minute, hour, day of month, month, day of week: when the mode begins.',
  ),
  mode: oneOf(provideModes).describe('Mode from then on, until another entry fires.'),
  rate_limit: rateLimit.optional().describe('Limit as long; absent: provide.rate_limit.'),
});

const cap = z
  .strictObject({
    bytes: byteAmount.describe(
      'Data forwarded in one period, both directions together, with unit: "500 GB".',
    ),
    period: oneOf(['day', 'week', 'month'])
      .default('month')
      .describe('How often the count begins again at zero.'),
    reset_day: wholeNumber(1, 31)
      .default(1)
      .describe(
        'Day on which a month begins (a shorter month: its last day), or a week (1 is Monday, 7 Sunday).',
      ),
    counts: oneOf(['share', 'line'])
      .default('share')
      .describe('"line": as a provider counts that counts both ways, 2.1 times what is forwarded.'),
  })
  .describe(
    'Most data in a period; when it is reached, the mode is "none" until the next one. Absent: no cap.',
  );

/** The section `provide` of the configuration. */
export const provideSection = z
  .strictObject({
    mode: oneOf(provideModes)
      .default('friends')
      .describe('Who may use this device when no schedule says otherwise.'),
    cap: cap.optional(),
    rate_limit: rateLimit.prefault({}),
    household: oneOf(['first', 'off'])
      .default('first')
      .describe(
        '"first": sharing slows down while your line is full, so that your own traffic comes first.',
      ),
    schedule: listOf(scheduleEntry, 100).default([]).describe('Modes and limits by the clock.'),
    time_zone: timeZoneName
      .optional()
      .describe("Time zone of schedule, cap and page; absent: the system's."),
  })
  .describe('How much of the connection is shared, with whom and when.');
