/**
 * Words that people type as a command where none of that name is, and the command or the option of
 * the program that they may mean.
 */
export const commandsElsewhere: Readonly<Record<string, string>> = {
  login: 'login',
  signin: 'login',
  logout: 'logout',
  signout: 'logout',
  wallet: 'account wallets',
  wallets: 'account wallets',
  'add-wallet': 'account add-wallet',
  payout: 'account payout-wallet',
  payments: 'account payments',
  earnings: 'account payments',
  points: 'account points',
  devices: 'device list',
  clients: 'device list',
  network: 'service',
  providers: 'service providers',
  locations: 'service locations',
  leaderboard: 'service leaderboard',
  call: 'service call',
  share: 'device share',
  pair: 'device pair',
  rename: 'device rename',
  remove: 'device remove',
  version: '--version',
  '-v': '--version',
};

/** The command that this word may mean; undefined for a word that is not known. */
export function findElsewhere(word: string): string | undefined {
  return Object.hasOwn(commandsElsewhere, word) ? commandsElsewhere[word] : undefined;
}
