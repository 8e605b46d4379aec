import { messageOf } from '../lib/errors.ts';
import type { Logger } from '../report/logger.ts';

/** Runs the report by its cron expression until stopped; one at a time. */
export async function scheduleReport(
  expression: string,
  timezone: string | undefined,
  report: () => Promise<void>,
  log: Logger,
): Promise<AsyncDisposable> {
  const { schedule } = await import('node-cron');
  const task = schedule(
    expression,
    () => report().catch((error: unknown) => log.error({ reason: messageOf(error) }, 'the report failed')),
    { noOverlap: true, suppressMissedWarning: true, ...(timezone === undefined ? {} : { timezone }) },
  );
  return {
    async [Symbol.asyncDispose]() {
      await task.destroy();
    },
  };
}
