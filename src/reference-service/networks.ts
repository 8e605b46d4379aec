import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { keepSetting, setSetting } from './database.ts';
import { refuse } from './error-object.ts';

/** An owner's network: what a network JWT stands for. */
export interface Network {
  readonly networkId: string;
  readonly networkName: string;
  readonly userId: string;
  /** A guest session is a network that nobody has signed up for yet. */
  readonly kind: 'permanent' | 'guest';
}

/** What makes a guest's network a permanent one. */
interface Upgrade {
  readonly networkName: string;
  /** E-mail address or phone number. */
  readonly userAuth: string;
  /** undefined where somebody else vouches for the user. */
  readonly passwordHash: string | undefined;
}

/** The networks: the owners' and the guests'. */
export interface Networks {
  /** The oldest network, made where there is none. */
  ensureFirst(): Network;
  /** The guest session that is kept for whoever tries the service; another one when the last was upgraded. */
  ensureGuest(): Network;
  /** @throws usage-invalid where the name is taken or out of bounds */
  create(networkName: string, options?: { readonly isPublic?: boolean }): Network;
  createGuest(): Network;
  /** undefined where there is no such network. */
  find(networkId: string): Network | undefined;
  /** By id or name, in capitals or not; without any the first. @throws usage-invalid where there is none */
  resolve(idOrName: string | undefined): Network;
  /** Makes a guest's network permanent; all that it has stays. @throws usage-invalid: a name as above, or no guest's */
  upgrade(networkId: string, to: Upgrade): Network;
}

const columns = 'network_id as networkId, network_name as networkName, user_id as userId, kind';
const nameLimit = 63;

/** The networks of this database; `now` is in Unix milliseconds. */
export function createNetworks(database: DatabaseSync, now: () => number): Networks {
  const first = database.prepare(`select ${columns} from network where rowid = (select min(rowid) from network)`);
  const byId = database.prepare(`select ${columns} from network where network_id = ?`);
  const byName = database.prepare(`select ${columns} from network where network_name = ? collate nocase`);
  const insert = database.prepare(
    `insert into network (network_id, network_name, user_id, created_ms, kind, is_public)
     values (:networkId, :networkName, :userId, :createdMs, :kind, :isPublic)`,
  );
  const makePermanent = database.prepare(
    `update network set kind = 'permanent', network_name = :networkName, user_auth = :userAuth,
       password_hash = :passwordHash where network_id = :networkId`,
  );

  function add(networkName: string, kind: Network['kind'], isPublic = false): Network {
    const network = { networkId: randomUUID(), networkName, userId: randomUUID(), kind };
    insert.run({ ...network, createdMs: now(), isPublic: Number(isPublic) });
    return network;
  }

  function checkName(name: string): void {
    // A line end, or a character that turns the direction round, would pass for something else where the name is shown.
    if (name !== name.trim() || /^$|\p{C}/u.test(name) || [...name].length > nameLimit) {
      throw refuse(`A network name has 1 to ${nameLimit} characters, with no blanks around them.`);
    }
    if (byName.get(name) !== undefined) throw refuse('The network name is taken.');
  }

  const networks: Networks = {
    ensureFirst: () => (first.get() as Network | undefined) ?? add('sandbox', 'permanent'),
    ensureGuest() {
      const kept = networks.find(keepSetting(database, 'guest-network', () => networks.createGuest().networkId));
      if (kept?.kind === 'guest') return kept;
      const guest = networks.createGuest();
      setSetting(database, 'guest-network', guest.networkId);
      return guest;
    },
    create(networkName, { isPublic } = {}) {
      checkName(networkName);
      return add(networkName, 'permanent', isPublic);
    },
    createGuest: () => add(`guest-${randomBytes(6).toString('hex')}`, 'guest'),
    find: (networkId) => byId.get(networkId) as Network | undefined,
    resolve(idOrName) {
      if (idOrName === undefined) return networks.ensureFirst();
      const found = networks.find(idOrName) ?? (byName.get(idOrName) as Network | undefined);
      if (found === undefined) throw refuse(`There is no network ${idOrName}.`);
      return found;
    },
    upgrade(networkId, { networkName, userAuth, passwordHash }) {
      const guest = networks.find(networkId);
      if (guest?.kind !== 'guest') throw refuse('The network is not a guest session.');
      checkName(networkName);
      makePermanent.run({ networkId, networkName, userAuth, passwordHash: passwordHash ?? null });
      return { ...guest, networkName, kind: 'permanent' };
    },
  };
  return networks;
}
