import type { OuterEndpoint } from '../source/source.ts';

/** A source's device as the fence sees it. */
export interface SourceDevice {
  readonly name: string;
  /** False before it is made: the chain at its entrance can only be there with it. */
  readonly isThere: boolean;
  /** Bytes; forwarded connections are told to stay below it. */
  readonly mtu: number;
  /**
   * Prefixes that contain the addresses of its consumers and of no other device's. undefined for
   * any other addresses, which only one device may have.
   */
  readonly consumers: readonly string[] | undefined;
  /** True where its consumers are held to the strict rules. */
  readonly isStrict: boolean;
  /** The source's other end; undefined if it is unknown, or needs no entry. */
  readonly endpoint: OuterEndpoint | undefined;
}

/** How a rule names them: `"tributary0"`, or `{ "tributary0", "tributary1" }`. */
export function nameDevices(devices: readonly Pick<SourceDevice, 'name'>[]): string {
  const names = devices.map(({ name }) => `"${name}"`);
  return names.length === 1 ? names.join('') : `{ ${names.join(', ')} }`;
}
