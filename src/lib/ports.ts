/** Stands among ports for all that have none of these: GRE, IPsec, SCTP; ping is left out. */
export const otherProtocols = 'other-protocols';

/** Ports of one protocol or of all; `first` and `last` are equal for a single one. */
export interface PortRange {
  /** undefined: every protocol that has ports. */
  readonly protocol: 'tcp' | 'udp' | undefined;
  readonly first: number;
  readonly last: number;
}

/** Reads `25`, `6881-6889` or `udp/1900`; undefined where the text is none of them. */
export function parsePortRange(text: string): PortRange | undefined {
  const [, protocol, from = '', to = from] = /^(?:(tcp|udp)\/)?(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === '' || first < 1 || last > 65_535 || first > last) return undefined;
  return { protocol: protocol as PortRange['protocol'], first, last };
}

/** The ranges of the protocol as text, sorted by number; what overlaps or follows directly is one range. */
export function mergePortRanges(ranges: readonly PortRange[], protocol: PortRange['protocol']): readonly string[] {
  const sorted = ranges.filter((range) => range.protocol === protocol).sort((one, other) => one.first - other.first);
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of sorted) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
}
