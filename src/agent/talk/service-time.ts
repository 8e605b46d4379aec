/** What the service's clock said in its last answer. */
export interface ServiceTime {
  /** In ms since 1970. */
  readonly ms: number;
  /** When it was heard, by `performance.now()`. */
  readonly heardAtMs: number;
}

/**
 * The present time by the service's clock, which judges its tokens; undefined before it named one.
 */
export function readServiceTime({
  serviceTime,
}: {
  readonly serviceTime?: ServiceTime | undefined;
}): Date | undefined {
  if (serviceTime === undefined) return undefined;
  return new Date(serviceTime.ms + performance.now() - serviceTime.heardAtMs);
}
