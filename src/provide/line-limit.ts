/** Bits per second, as the owner gives them; `line` is alone. */
export type RateLimit = { readonly [Name in 'line' | 'up' | 'down']?: number | undefined };

/** Who says what the limit is, the weightiest first. */
const sources = ['override', 'schedule', 'configured'] as const;

/** What sharing may put on the owner's line, each way, and where that comes from. */
export interface LineLimit {
  readonly bitsPerSecond: number;
  readonly source: (typeof sources)[number];
}

/**
 * The limit by hand, else of the scheduled entry that holds, else in the configuration; undefined:
 * no limit.
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

/**
 * Every byte that is shared crosses the line once each way, so the lower of two rates holds both.
 */
function findLeast({ line, up, down }: RateLimit = {}): number | undefined {
  const rates = [line, up, down].filter((rate) => rate !== undefined);
  return rates.length === 0 ? undefined : Math.min(...rates);
}
