import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { refuse } from './refusal.ts';
import { queryOn } from './statements.ts';

/** By what a person gets into a network: an e-mail address, a phone number or a wallet. */
interface Login {
  readonly networkId: string;
  /** Text of `hashPassword`; null for a login without a password. */
  readonly passwordHash: string | null;
  readonly isVerified: 0 | 1;
}

/** The ways into all networks. One way leads into one network. */
export interface Logins {
  /** @throws usage-invalid where it leads into a network already */
  checkFree(userAuth: string): void;
  /** @throws usage-invalid as above */
  add(userAuth: string, login: Login): void;
  find(userAuth: string): Login | undefined;
  /** Sets the password of every login of a network. */
  setPassword(networkId: string, passwordHash: string): void;
  markVerified(userAuth: string): void;
}

export function createLogins(database: DatabaseSync): Logins {
  const { insert, run, findRow } = queryOn(database);
  const find = (userAuth: string) =>
    findRow<Login>`select network_id as networkId, password_hash as passwordHash, is_verified as isVerified
      from login where user_auth = ${toKey(userAuth)}`;
  const checkFree = (userAuth: string) => {
    if (find(userAuth) === undefined) return;
    throw refuse('That e-mail address, phone number or wallet owns another network already.');
  };
  return {
    checkFree,
    add(userAuth, login) {
      checkFree(userAuth);
      insert('login', { userAuth: toKey(userAuth), ...login });
    },
    find,
    setPassword: (networkId, passwordHash) =>
      run`update login set password_hash = ${passwordHash} where network_id = ${networkId}`,
    markVerified: (userAuth) =>
      run`update login set is_verified = 1 where user_auth = ${toKey(userAuth)}`,
  };
}

const walletSign = 'wallet:';

/** What stands for a wallet among the logins; capitals are part of its address. */
export const toWalletAuth = (address: string) => `${walletSign}${address}`;

/** One person types an address in capitals or a number with blanks, and another does not. */
function toKey(userAuth: string): string {
  if (userAuth.startsWith(walletSign)) return userAuth;
  return userAuth.includes('@') ? userAuth.toLowerCase() : userAuth.replace(/[^+\d]/g, '');
}

const derive = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
) => Promise<Buffer>;
const hashBytes = 32;

/** What is kept of a password: salt and hash, in hex. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('hex')}:${(await derive(password, salt, hashBytes)).toString('hex')}`;
}

/** True where `kept` is of this password. */
export async function isPasswordOf(kept: string, password: string): Promise<boolean> {
  const [salt = '', hashed = ''] = kept.split(':');
  const derived = await derive(password, Buffer.from(salt, 'hex'), hashBytes);
  return timingSafeEqual(derived, Buffer.from(hashed, 'hex'));
}
