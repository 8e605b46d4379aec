import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { prepareOn, type Row, selectFields } from './statements.ts';

const fields =
  'walletId managedWalletId networkId walletType blockchain walletAddress active defaultTokenType createdMs';

/** Where payouts can go. */
type Wallet = Row<typeof fields>;

/** The registered wallets, and the one of each network that is paid; `now` is in Unix milliseconds. */
export function createWallets(database: DatabaseSync, now: () => number) {
  const { insert, prepareFind, prepareList } = prepareOn(database);
  const findChosen = prepareFind<{ readonly walletId: string | null }, [networkId: string]>(
    'select payout_wallet_id as walletId from network where network_id = ?',
  );
  const choose = database.prepare(
    `update network set payout_wallet_id = :walletId where network_id = :networkId and exists (
       select 1 from wallet where wallet_id = :walletId and network_id = :networkId and active = 1)`,
  );
  return {
    add(added: Pick<Wallet, 'networkId' | 'walletType' | 'blockchain' | 'walletAddress' | 'active'>): Wallet {
      const wallet = {
        ...added,
        walletId: randomUUID(),
        managedWalletId: added.walletType === 'managed' ? randomUUID() : null,
        defaultTokenType: 'USDC',
        createdMs: now(),
      };
      insert('wallet', wallet);
      return wallet;
    },
    /** Oldest first. */
    list: prepareList<Wallet, [networkId: string]>(
      `select ${selectFields(fields)} from wallet where network_id = ? order by created_ms, rowid`,
    ),
    /** undefined where none was chosen. */
    findPayoutWallet: (networkId: string) => findChosen(networkId)?.walletId ?? undefined,
    /** False, and nothing changes, where the wallet is not this network's, or not active. */
    choosePayoutWallet: (networkId: string, walletId: string) => choose.run({ networkId, walletId }).changes === 1,
  } as const;
}
