/** Both ends belong to it. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Above what providers filter and most services use, below what Linux gives to a device's own connections. */
export const usualConsumerPorts: PortRange = { first: 16_384, last: 32_767 };
/** Fewer would be a ceiling for a busy destination. */
const least = 4096;

/** Ports that nothing of the device's own uses, so no late answer reaches it; undefined: there are too few of them. */
export function chooseConsumerPorts(localRange: string | undefined): PortRange | undefined {
  const [first, last] = (localRange ?? '').split(/\s+/).map(Number);
  if (!first || !last || first > usualConsumerPorts.last || last < usualConsumerPorts.first) return usualConsumerPorts;
  const free = [
    { first: usualConsumerPorts.first, last: first - 1 },
    { first: last + 1, last: 65_535 },
    { first: 1024, last: first - 1 },
  ];
  return free.find((range) => range.last - range.first + 1 >= least);
}
