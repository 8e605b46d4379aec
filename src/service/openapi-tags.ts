import { type OperationName, operations } from './operations.ts';

/** What the operations below the first word of a path are about. */
const topics: Readonly<Record<string, string>> = {
  account: 'Wallets, and what is paid.',
  auth: 'Signing in.',
  device: 'Sharing devices and handing them over.',
  network: 'The clients of a network, and finding providers.',
  stats: 'What providers did.',
  transfer: 'What counts for payouts.',
  wallet: 'Addresses on blockchains.',
};

/** The tags of these operations, each once, with what they are about. */
export function tagsOf(served: readonly OperationName[]) {
  const names = new Set(served.map(findTag));
  return [...names].sort().map((name) => ({ name, description: topics[name] ?? name }));
}

/** The first word of its path. */
export function findTag(name: OperationName): string {
  return operations[name].path.split('/')[1] ?? '';
}
