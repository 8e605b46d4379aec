/*
 * Network cards join the segments of a download, and rules see one packet with one header for all
 * of them. Where a packet leaves by a device, the kernel's traffic control knows how many there
 * are, and counts each with its own header.
 */
import { lineDevice } from './line-tree.ts';

/** What a hook counted since it was made. */
export interface SegmentTotals {
  readonly bytes: number;
  readonly packets: number;
}

/** After the filter that leads into the tree of the line. */
const preference = 30;

/**
 * Lines for `tc` that make the kernel count what leaves by a device. It counts only where there is
 * a filter, so this one lets everything pass. The first line may fail, because its part may exist.
 */
export function listHookLines(device: string): readonly string[] {
  return [
    `qdisc add dev ${device} clsact`,
    `filter add dev ${device} egress protocol all pref ${preference} u32 match u32 0 0`,
  ];
}

/** A line for `tc` that ends the counting. It may fail, because there may be none. */
export function renderHookRemoval(device: string): string {
  return `filter delete dev ${device} egress protocol all pref ${preference}`;
}

/** Questions for `tc -s` whose answers `hasHook` and `readSegments` read. */
export function listHookQuestions(device: string): readonly string[] {
  return [`qdisc show dev ${device}`, `filter show dev ${device} egress`];
}

export function hasHook(said: string): boolean {
  return new RegExp(`^filter .*\\bpref ${preference} `, 'm').test(said);
}

/**
 * What left by a device; undefined where nothing counts it. With `isRedirected`, everything goes
 * through the tree of the line and leaves a second time, so the way into the tree is what counts.
 */
export function readSegments(
  said: string,
  { isRedirected }: { readonly isRedirected: boolean },
): SegmentTotals | undefined {
  const place = isRedirected
    ? `Egress Redirect to device ${lineDevice}\\)[^]*?`
    : '^qdisc clsact [^\\n]*\\n\\s*';
  const found = new RegExp(`${place}Sent (\\d+) bytes (\\d+) pkt`, 'm').exec(said);
  return found === null ? undefined : { bytes: Number(found[1]), packets: Number(found[2]) };
}
