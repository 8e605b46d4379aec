import type { PartialConfig } from './combinations.ts';
import { type Problem, renderFound } from './problems.ts';

/** Cron expressions with a field that no clock knows. Only those that the owner gave are looked at. */
export async function findCronProblems(
  config: PartialConfig,
  isGiven: (path: readonly string[]) => boolean,
): Promise<readonly Problem[]> {
  const given = [
    ...(config.provide?.schedule ?? []).map((entry, index) => ({
      path: ['provide', 'schedule', index, 'cron'],
      cron: entry?.cron,
    })),
    ...(isGiven(['report', 'cron']) ? [{ path: ['report', 'cron'], cron: config.report?.cron }] : []),
  ];
  if (given.length === 0) return [];
  // Loaded late: most configurations have no cron expression of their own.
  const { validateDetailed } = await import('node-cron');
  return given.flatMap(({ path, cron }): Problem[] => {
    if (cron === undefined) return [];
    const errors = validateDetailed(cron).errors;
    const [error] = errors;
    if (error === undefined) return [];
    const wrong =
      error.value === cron || error.value === undefined ? 'one of its fields' : `its ${error.field} ${error.value}`;
    return [{ path, text: renderFound(cron, `five cron fields that a clock knows (${wrong} is none)`) }];
  });
}
