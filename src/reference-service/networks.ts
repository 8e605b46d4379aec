import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** An owner's network: what a network JWT stands for. */
export interface Network {
  readonly networkId: string;
  readonly networkName: string;
  readonly userId: string;
}

/** The networks and their login codes. */
export interface Networks {
  /** The oldest network, made where there is none. */
  ensureFirst(): Network;
  create(networkName: string): Network;
  /** undefined where there is no such network. */
  find(networkId: string): Network | undefined;
  /** A new login code. Only its hash is kept. */
  issueCode(networkId: string, terms: CodeTerms): string;
  /** Uses the code up by one: its network, or undefined where it is unknown, expired or used up. */
  redeemCode(code: string): Network | undefined;
}

/** What a login code is good for (service-interface, "Limits"). */
interface CodeTerms {
  readonly durationMinutes: number;
  readonly uses: number;
}

const columns = 'network_id as networkId, network_name as networkName, user_id as userId';

/** The networks of this database; `now` is in Unix milliseconds. */
export function createNetworks(database: DatabaseSync, now: () => number): Networks {
  const first = database.prepare(`select ${columns} from network order by created_ms, rowid limit 1`);
  const byId = database.prepare(`select ${columns} from network where network_id = ?`);
  const insert = database.prepare('insert into network values (?, ?, ?, ?)');
  const insertCode = database.prepare('insert into auth_code values (?, ?, ?, ?)');
  const forgetCodes = database.prepare('delete from auth_code where expires_ms <= ? or uses_left <= 0');
  const spendCode = database.prepare(
    `update auth_code set uses_left = uses_left - 1 where code_hash = ? and uses_left > 0 and expires_ms > ?
     returning network_id`,
  );
  const networks: Networks = {
    ensureFirst: () => (first.get() as Network | undefined) ?? networks.create('sandbox'),
    create(networkName) {
      const network = { networkId: randomUUID(), networkName, userId: randomUUID() };
      insert.run(network.networkId, network.networkName, network.userId, now());
      return network;
    },
    find: (networkId) => byId.get(networkId) as Network | undefined,
    issueCode(networkId, terms) {
      forgetCodes.run(now());
      const code = createCode();
      insertCode.run(toHash(code), networkId, now() + terms.durationMinutes * 60_000, terms.uses);
      return code;
    },
    redeemCode(code) {
      // `all` runs the statement to its end; `get` would stop at the returned row.
      const row = spendCode.all(toHash(code), now())[0];
      return row === undefined ? undefined : networks.find(String(row.network_id));
    },
  };
  return networks;
}

/** About 250 random bits as base64url. One in four begins with `-`, as real ones may (production-profile, "Tokens"). */
function createCode(): string {
  const code = randomBytes(32).toString('base64url');
  return randomInt(4) === 0 ? `-${code.slice(1)}` : code;
}

function toHash(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
