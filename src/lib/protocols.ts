/** Protocols beside TCP, UDP and ping that an owner may open, with their numbers (IANA). */
const numbers = { gre: 47, '6in4': 41, sctp: 132 } as const;

export type FurtherProtocol = keyof typeof numbers;
export const furtherProtocols = Object.keys(numbers) as readonly FurtherProtocol[];

/** Matches packets of every protocol but TCP, UDP, ping and the ones that were opened. */
export function matchOtherProtocols(opened: readonly FurtherProtocol[]): string {
  const passing = ['tcp', 'udp', 'icmp', 'icmpv6', ...new Set(opened.map((name) => numbers[name]))];
  return `meta l4proto != { ${passing.join(', ')} }`;
}

/**
 * Matches what ICMP asks besides a ping: the time, a network's number and its mask, and over IPv6
 * what a machine is called.
 */
export const otherQuestions = {
  4: 'icmp type { timestamp-request, info-request, address-mask-request }',
  6: 'icmpv6 type 139',
} as const;
