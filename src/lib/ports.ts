/** Names, among ports, the protocols without any: GRE, IPsec, SCTP. Ping is not among them. */
export const otherProtocols = 'other-protocols';

/** A range that includes both its ends; they are equal for a single port. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Ports of one protocol or of all. */
export interface ProtocolPorts extends PortRange {
  /** undefined for every protocol that has ports. */
  readonly protocol: 'tcp' | 'udp' | undefined;
}

/** Reads `25`, `6881-6889` or `udp/1900`; undefined for any other text. */
export function parsePortRange(text: string): ProtocolPorts | undefined {
  const [, protocol, from = '', to = from] =
    /^(?:(tcp|udp)\/)?(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === '' || first < 1 || last > 65_535 || first > last) return undefined;
  return { protocol: protocol as ProtocolPorts['protocol'], first, last };
}

/**
 * The ranges of the protocol as text, sorted by number. Ranges that overlap or follow each other
 * are merged.
 */
export function mergePortRanges(
  ranges: readonly ProtocolPorts[],
  protocol: ProtocolPorts['protocol'],
): readonly string[] {
  const sorted = ranges
    .filter((range) => range.protocol === protocol)
    .sort((one, other) => one.first - other.first);
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of sorted) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
}

/**
 * These are above the ports that providers filter and that most services use, and below the ports
 * that Linux gives to a device's own connections.
 */
export const usualConsumerPorts: PortRange = { first: 16_384, last: 32_767 };
/** With fewer ports, too few connections to one busy destination would be possible. */
const least = 4096;

/** So many ranges at most, because each is a rule. */
const mostRanges = 8;

/**
 * Ports that no connection of the device itself uses, so that no late answer reaches it, and at
 * which nothing listens, so that no consumer speaks as a server of the home's. The widest range is
 * the last one; none where too few are left. `localRange` is the text of ip_local_port_range.
 */
export function chooseConsumerPorts(
  localRange: string | undefined,
  listening: readonly number[] = [],
): readonly PortRange[] {
  const range = chooseRange(localRange);
  return range === undefined ? [] : leaveOut(range, listening);
}

function leaveOut({ first, last }: PortRange, ports: readonly number[]): readonly PortRange[] {
  const taken = ports.filter((port) => first <= port && port <= last);
  const ends = [first - 1, ...new Set(taken.sort((one, other) => one - other)), last + 1];
  return ends
    .slice(1)
    .map((end, index) => ({ first: (ends[index] ?? end) + 1, last: end - 1 }))
    .filter((gap) => gap.first <= gap.last)
    .sort((one, other) => one.last - one.first - (other.last - other.first))
    .slice(-mostRanges);
}

function chooseRange(localRange: string | undefined): PortRange | undefined {
  const [first, last] = (localRange ?? '').split(/\s+/).map(Number);
  if (!first || !last || first > usualConsumerPorts.last || last < usualConsumerPorts.first)
    return usualConsumerPorts;
  const free = [
    { first: usualConsumerPorts.first, last: first - 1 },
    { first: last + 1, last: 65_535 },
    { first: 1024, last: first - 1 },
  ];
  return free.find((range) => range.last - range.first + 1 >= least);
}
