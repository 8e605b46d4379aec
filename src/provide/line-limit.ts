/** Limits in bits per second as the owner gives them; `line` is given without the other two. */
export type RateLimit = { readonly [Name in 'line' | 'up' | 'down']?: number | undefined };

/** Where a limit may come from; the first source that has one wins. */
const sources = ['override', 'schedule', 'configured'] as const;

/** How much sharing may use of the owner's line, each way, and where this limit comes from. */
export interface LineLimit {
  readonly bitsPerSecond: number;
  readonly source: (typeof sources)[number];
}

/**
 * The limit that was set by hand, else the limit of the scheduled entry that holds, else the
 * configured one; undefined without a limit.
 */
export function decideLineLimit(
  given: { readonly [Source in LineLimit['source']]: RateLimit | undefined },
) {
  const limits = sources.flatMap((source): readonly LineLimit[] => {
    const bitsPerSecond = findLeast(given[source]);
    return bitsPerSecond === undefined ? [] : [{ bitsPerSecond, source }];
  });
  return limits[0];
}

/** Every shared byte crosses the line once each way, so the lower of two rates limits both. */
function findLeast({ line, up, down }: RateLimit = {}): number | undefined {
  const rates = [line, up, down].filter((rate) => rate !== undefined);
  return rates.length === 0 ? undefined : Math.min(...rates);
}
