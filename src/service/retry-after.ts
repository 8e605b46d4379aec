const daySeconds = 86_400;

/**
 * Seconds that a Retry-After header asks to wait, 0 to a day; undefined for a header that is absent
 * or cannot be read.
 */
export function readRetryAfterSeconds(
  header: string | undefined,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text), daySeconds);
  // An HTTP date begins with the name of a day. Without this test, Date.parse would read many other
  // texts as dates.
  const atMs = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(atMs)) return undefined;
  return Math.min(Math.max(0, Math.ceil((atMs - nowMs) / 1000)), daySeconds);
}
