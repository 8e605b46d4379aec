import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { keepSetting, setSetting } from './database.ts';
import { checkLine, refuse } from './refusal.ts';
import { queryOn, selectFields, sql } from './statements.ts';

const fields = 'networkId networkName userId kind';

/**
 * What a network JWT gives access to: an owner's network, or a guest session, whose user has not
 * signed up yet.
 */
export interface Network {
  readonly networkId: string;
  readonly networkName: string;
  readonly userId: string;
  readonly kind: 'permanent' | 'guest';
}

/** The networks of owners and guests. What is made is in the database when the call returns. */
export interface Networks {
  /** The first network, which is made where it is missing. */
  ensureFirst(): Network;
  /** The guest session for trying the service. After it was upgraded, a new one is made. */
  ensureGuest(): Network;
  /**
   * Makes a network.
   * @throws usage-invalid for a name that is taken or out of bounds
   */
  create(networkName: string, about?: { readonly isPublic?: boolean }): Network;
  createGuest(): Network;
  /** undefined for an unknown network. */
  find(networkId: string): Network | undefined;
  /**
   * A network by id or name, in any case of letters; the first one by default.
   * @throws usage-invalid for an unknown network
   */
  resolve(idOrName: string | undefined): Network;
  /**
   * Makes a guest's network permanent, with everything that it has.
   * @throws usage-invalid for a name as above, or a network that is no guest's
   */
  upgrade(networkId: string, networkName: string): Network;
}

/** The networks of this database; `now` is in ms since 1970. */
export function createNetworks(database: DatabaseSync, now: () => number): Networks {
  const { insert, run, findRow } = queryOn(database);
  const select = sql`select ${selectFields(fields)} from network`;
  const find = (networkId: string) => findRow<Network>`${select} where network_id = ${networkId}`;
  const findByName = (name: string) =>
    findRow<Network>`${select} where network_name = ${name} collate nocase`;

  function add(networkName: string, kind: Network['kind'], isPublic: 0 | 1 = 0): Network {
    const added = { networkId: randomUUID(), networkName, userId: randomUUID(), kind };
    insert('network', { ...added, createdMs: now(), isPublic });
    return added;
  }

  function checkName(name: string): void {
    checkLine('A network name', name, [1, 63]);
    // Two names must not differ by invisible characters only. U+200D is allowed, because it joins
    // emoji.
    if (name !== name.trim() || /[^\P{C}\u200d]/u.test(name))
      throw refuse('A network name has only what is seen.');
    if (findByName(name) !== undefined) throw refuse('The network name is taken.');
  }

  const createGuest = () => add(`guest-${randomBytes(6).toString('hex')}`, 'guest');
  const ensureFirst = () =>
    findRow<Network>`${select} where rowid = (select min(rowid) from network)` ??
    add('sandbox', 'permanent');
  return {
    ensureFirst,
    ensureGuest() {
      const kept = find(keepSetting(database, 'guest-network', () => createGuest().networkId));
      if (kept?.kind === 'guest') return kept;
      const guest = createGuest();
      setSetting(database, 'guest-network', guest.networkId);
      return guest;
    },
    create(networkName, { isPublic } = {}) {
      checkName(networkName);
      return add(networkName, 'permanent', isPublic ? 1 : 0);
    },
    createGuest,
    find,
    resolve(idOrName) {
      const found =
        idOrName === undefined ? ensureFirst() : (find(idOrName) ?? findByName(idOrName));
      if (found === undefined) throw refuse(`There is no network ${idOrName}.`);
      return found;
    },
    upgrade(networkId, networkName) {
      const guest = find(networkId);
      if (guest?.kind !== 'guest') throw refuse('The network is not a guest session.');
      checkName(networkName);
      run`update network set kind = 'permanent', network_name = ${networkName} where network_id = ${networkId}`;
      return { ...guest, networkName, kind: 'permanent' };
    },
  };
}

const walletFields =
  'walletId managedWalletId networkId walletType blockchain walletAddress active defaultTokenType createdMs';

interface Wallet {
  readonly walletId: string;
  /** null for a wallet that its owner manages. */
  readonly managedWalletId: string | null;
  readonly networkId: string;
  readonly walletType: 'managed' | 'external';
  readonly blockchain: 'SOL' | 'MATIC';
  readonly walletAddress: string;
  /** 1 while payouts may go there, else 0. */
  readonly active: number;
  readonly defaultTokenType: string;
  /** In ms since 1970. */
  readonly createdMs: number;
}

type NewWallet = Pick<
  Wallet,
  'networkId' | 'walletType' | 'blockchain' | 'walletAddress' | 'active'
>;

/** The registered wallets, and the wallet of each network that payouts go to. */
export interface Wallets {
  add(wallet: NewWallet): Wallet;
  /** Oldest first. */
  list(networkId: string): readonly Wallet[];
  /** undefined while none is chosen. */
  findPayoutWallet(networkId: string): string | undefined;
  /**
   * Chooses the wallet. False, without a change, for a wallet that is not this network's or not
   * active.
   */
  choosePayoutWallet(networkId: string, walletId: string): boolean;
  /** Removes it, also as the chosen one. False for a wallet that is not this network's. */
  remove(networkId: string, walletId: string): boolean;
}

/** The wallets of this database; `now` is in ms since 1970. */
export function createWallets(database: DatabaseSync, now: () => number): Wallets {
  const { insert, run, findRow, listRows } = queryOn(database);
  return {
    add(added) {
      const wallet: Wallet = {
        ...added,
        walletId: randomUUID(),
        managedWalletId: added.walletType === 'managed' ? randomUUID() : null,
        defaultTokenType: 'USDC',
        createdMs: now(),
      };
      insert('wallet', { ...wallet });
      return wallet;
    },
    list: (networkId) =>
      listRows<Wallet>`select ${selectFields(walletFields)} from wallet where network_id = ${networkId}
        order by created_ms, rowid`,
    findPayoutWallet: (networkId) =>
      findRow<Pick<Wallet, 'walletId'>>`select payout_wallet_id as walletId from network
        where network_id = ${networkId} and payout_wallet_id is not null`?.walletId,
    choosePayoutWallet: (networkId, walletId) =>
      findRow`update network set payout_wallet_id = ${walletId} where network_id = ${networkId} and exists (
        select 1 from wallet where wallet_id = ${walletId} and network_id = ${networkId} and active = 1)
        returning network_id` !== undefined,
    remove(networkId, walletId) {
      run`update network set payout_wallet_id = null
        where network_id = ${networkId} and payout_wallet_id = ${walletId}`;
      return (
        findRow`delete from wallet where network_id = ${networkId} and wallet_id = ${walletId}
          returning wallet_id` !== undefined
      );
    },
  };
}
