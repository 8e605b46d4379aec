/** The limit as the owner gives it: bits per second that sharing may put on the line, each way. */
export interface RateLimit {
  readonly line?: number | undefined;
}

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
): LineLimit | undefined {
  const limits = sources.flatMap((source): readonly LineLimit[] => {
    const bitsPerSecond = given[source]?.line;
    return bitsPerSecond === undefined ? [] : [{ bitsPerSecond, source }];
  });
  return limits[0];
}
