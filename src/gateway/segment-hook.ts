/*
 * Network cards join the segments of a download, and WireGuard joins segments of an upload. Rules
 * see one packet with one header for all of them. Where a packet leaves by a device, the kernel's
 * traffic control knows how many there are, and counts each with its own header.
 */
import { isMarked, lineDevice } from './line-tree.ts';

/** What a hook counted since it was made. */
export interface SegmentTotals {
  readonly bytes: number;
  readonly packets: number;
}

/** After the filter that leads into the tree of the line. */
const preference = 30;

/**
 * Lines for `tc` that make the kernel count what leaves by a source's device. It counts only where
 * there is a filter, so this one lets everything pass. The first line may fail, because its part
 * may exist.
 */
export function listHookLines(device: string): readonly string[] {
  return [
    `qdisc add dev ${device} clsact`,
    `filter add dev ${device} egress protocol all pref ${preference} u32 match u32 0 0`,
  ];
}

/** Lines for `tc` at the uplink, where consumers' packets are known by their mark. */
export function listUplinkHookLines(uplink: string): readonly string[] {
  return [
    `qdisc add dev ${uplink} clsact`,
    `filter add dev ${uplink} egress protocol all pref ${preference} bpf bytecode ${isMarked} action pass`,
  ];
}

/** A line for `tc` that ends the counting. It may fail, because there may be none. */
export function renderHookRemoval(device: string): string {
  return `filter delete dev ${device} egress protocol all pref ${preference}`;
}

/** Questions for `tc` about all filters of an interface, of other programs, too. */
export function listFilterQuestions(device: string): readonly string[] {
  return [`filter show dev ${device} egress`, `filter show dev ${device} ingress`];
}

/** A line for `tc` that takes away what filters hang on, and all filters with it. */
export function renderEntranceRemoval(device: string): string {
  return `qdisc delete dev ${device} clsact`;
}

/** Questions for `tc -s` whose answers `hasHook` and `readSegments` read. */
export function listHookQuestions(device: string): readonly string[] {
  return [`qdisc show dev ${device}`, `filter show dev ${device} egress`];
}

export function hasHook(said: string): boolean {
  return new RegExp(`^filter .*\\bpref ${preference} `, 'm').test(said);
}

/** How packets come to a hook. */
export interface HookPlace {
  /**
   * True where everything goes through the tree of the line and leaves a second time, so that the
   * way into the tree is what counts.
   */
  readonly isRedirected: boolean;
}

/** What left by a source's device; undefined where nothing counts it. */
export function readSegments(said: string, { isRedirected }: HookPlace): SegmentTotals | undefined {
  return readSent(said, isRedirected ? intoTree : '^qdisc clsact [^\\n]*\\n\\s*');
}

/** What consumers sent that left by the uplink; undefined where nothing counts it. */
export function readUplinkSegments(
  said: string,
  { isRedirected }: HookPlace,
): SegmentTotals | undefined {
  return readSent(said, isRedirected ? intoTree : 'gact action pass[^]*?');
}

const intoTree = `Egress Redirect to device ${lineDevice}\\)[^]*?`;

function readSent(said: string, place: string): SegmentTotals | undefined {
  const found = new RegExp(`${place}Sent (\\d+) bytes (\\d+) pkt`, 'm').exec(said);
  return found === null ? undefined : { bytes: Number(found[1]), packets: Number(found[2]) };
}
