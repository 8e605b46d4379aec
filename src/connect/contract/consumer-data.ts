/**
 * What a later life needs to answer a consumer that only receives, as data to keep. Where its
 * packets went is not part of it.
 */
export interface ConsumerData {
  readonly peer: string;
  /** The newest sequence of the lane that its last packet came by. */
  readonly sequence: string;
  /** Packs of it below this number were delivered and counted; 0 where it is not there. */
  readonly next?: number | undefined;
  /** As `toLaneKey` writes it. */
  readonly lane: string;
  /** Of the contract that paid for it. */
  readonly mode: number;
  /** When it sent something last; a time as in an account. */
  readonly heardAt: number;
  /** It has a key by which it seals. */
  readonly seals?: boolean | undefined;
  /** Its own address and the one of the pool that stands for it, in hex with a colon between. */
  readonly addresses: readonly string[];
}

/** A device has one address, two with IPv6. */
export const mostAddressesKept = 4;
