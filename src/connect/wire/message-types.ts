/**
 * What a frame carries, by the number in its first field. Numbers that are not here are ignored.
 */
export const messageTypes = {
  /** Pack and Ack inside of TransferFrame.frame: how they were carried once. */
  pack: 0,
  ack: 1,
  contract: 2,
  provide: 3,
  streamOpen: 8,
  streamClose: 9,
  createContract: 10,
  createContractResult: 11,
  closeContract: 12,
  ipPacketToProvider: 15,
  ipPacketFromProvider: 16,
  ipPing: 17,
  signals: 20,
  signal: 21,
  streamReset: 22,
  encryptedControl: 23,
  encryptedKey: 24,
  clientKey: 25,
  networkPeersReset: 26,
  networkPeersUpdate: 27,
  residentMigrate: 28,
} as const;

/**
 * For whom a provider is there; each mode has its own secret. It is a set, not a scale: who
 * publishes `public` does not publish `network` by that.
 */
export const provideModes = {
  network: 1,
  friendsAndFamily: 2,
  public: 3,
  stream: 4,
  publicStream: 5,
} as const;

export type ProvideMode = (typeof provideModes)[keyof typeof provideModes];

/** The largest binary message that either side of a socket takes. */
export const largestMessage = 4096;
/** The largest IP packet that consumers' devices take: a contract with them. */
export const largestPacket = 1100;
/** Lanes of a peer are 0 to 8. */
export const largestLane = 8;
