import type { OperationName } from './operations.ts';

/** What each operation does, in one line. */
export const operationSummaries: Readonly<Record<OperationName, string>> = {
  authClient: 'Registers a device as a client, or authenticates a client again; issues its proxy and tunnel.',
  findProviders2: 'Finds providers that fit one of several wishes, the best first, with their speed.',
  findProviders: 'Finds ids of providers at a location or in a group.',
  findLocations: 'Finds locations and groups by a text.',
  providerLocations: 'Lists every location and group that has providers, and some of the best devices.',
  createProviderSpec: 'Turns an intended use or a place, in words, into wishes for a provider.',
  clients: "Lists the network's clients.",
  reliability: "Reads how reliably the network's clients were online, by buckets of time.",
  codeCreate: 'Creates a code to log in with.',
  codeLogin: 'Exchanges a code for a network JWT.',
  passwordSet: 'Sets a new password with a code from an e-mail or a text message.',
  upgradeGuest: 'Makes a permanent network of a guest session.',
  createShareCode: 'Creates a code that shares a device with another network.',
  deviceAdd: 'Adds the device behind a share code or an adopt code.',
  deviceAssociations: 'Lists the devices shared in either direction, and those that wait to be adopted.',
  setProvide: 'Sets the provide mode of a client.',
  providers: "Reads statistics of the network's providers over the last 24 hours.",
  providersLastN: "Reads statistics of the network's providers over some hours.",
  providerLastN: 'Reads statistics of one provider, by hour and by day.',
  providerLast90: 'Reads statistics of one provider over 90 days, by day.',
  leaderboard: 'Lists the networks that provided the most.',
  wallets: "Lists the network's payout wallets.",
  payoutWallet: 'Reads which wallet payouts go to.',
  setPayoutWallet: 'Chooses the wallet that payouts go to.',
};
