import type { DatabaseSync } from 'node:sqlite';
import type { Adoption } from './associations.ts';
import type { Client, Clients } from './clients.ts';
import { createAssociationCode, createSecretCode, hashSecretCode } from './codes.ts';
import { inTransaction } from './database.ts';
import type { Terms } from './profile.ts';
import { checkLine, refuse } from './refusal.ts';
import { queryOn, sql } from './statements.ts';

const minutes = 30;
/** Strangers make these codes, so there is an end to them. */
const mostOpen = 10_000;

interface NewDevice {
  readonly deviceName: string;
  readonly deviceSpec: string;
}

/** What a device says to become a client of the network that took its code. */
interface Confirmation {
  readonly code: string;
  readonly secret: string;
  readonly networkName: string;
}

/** Devices without a network that show a code, by which one can take them. */
export interface Pairings {
  /** @throws usage-invalid for a name that cannot be shown, or where too many codes are open */
  create(device: NewDevice): Readonly<Record<'code' | 'secret', string>> & {
    readonly durationMinutes: number;
  };
  /** Notes that this network takes the device; undefined for a code that nobody can take. */
  take(networkId: string, code: string): Adoption | undefined;
  /**
   * The network that took the code; its name is null before.
   * @throws usage-invalid for a code that is unknown, expired or confirmed
   */
  readStatus(code: string): { readonly networkName: string | null };
  /**
   * Makes the device a client of that network.
   * @throws usage-invalid for a wrong code, secret or network, or a network that is full
   */
  confirm(confirmation: Confirmation): Client;
  /** Codes that this network took and no device confirmed yet. */
  list(networkId: string): readonly Adoption[];
  /** Gives the device back. False for a code that this network did not take. */
  giveBack(networkId: string, code: string): boolean;
}

export function createPairings(
  database: DatabaseSync,
  clients: Clients,
  { profile, clientLimit, now }: Terms,
): Pairings {
  const { insert, run, findRow, listRows, readNumber } = queryOn(database);
  const isOpen = () => sql`expires_ms > ${now()}`;
  const hasRoom = (networkId: string) => clients.count(networkId) < clientLimit;
  const toAdoption = sql`code, network_id as networkId, '' as clientId, device_name as deviceName,
    expires_ms as expiresMs`;
  type Row = Omit<Adoption, 'durationMinutes'> & { readonly expiresMs: number };
  const withTime = ({ expiresMs, ...row }: Row): Adoption => ({
    ...row,
    durationMinutes: (expiresMs - now()) / 60_000,
  });
  return {
    create({ deviceName, deviceSpec }) {
      checkLine('A device name', deviceName, [1, 100]);
      checkLine('A device_spec', deviceSpec, [0, 300]);
      run`delete from pairing where expires_ms <= ${now()}`;
      if (readNumber`select count(*) from pairing` >= mostOpen)
        throw refuse('Too many adopt codes are open: try again later.');
      const code = createAssociationCode();
      const secret = createSecretCode(profile.codeAlphabet);
      const expiresMs = now() + minutes * 60_000;
      insert('pairing', {
        code,
        secretHash: hashSecretCode(secret),
        deviceName,
        deviceSpec,
        expiresMs,
      });
      return { code, secret, durationMinutes: minutes };
    },
    take(networkId, text) {
      if (!hasRoom(networkId)) return undefined;
      const code = text.trim().toUpperCase();
      const row = findRow<Row>`update pairing set network_id = ${networkId}
        where code = ${code} and network_id is null and ${isOpen()} returning ${toAdoption}`;
      return row && withTime(row);
    },
    readStatus(code) {
      const row = findRow<{
        readonly networkName: string | null;
      }>`select network_name as networkName
        from pairing left join network using (network_id) where code = ${code} and ${isOpen()}`;
      if (row === undefined) throw refuse('Invalid, expired or used code.');
      return row;
    },
    confirm: ({ code, secret, networkName }) =>
      inTransaction(database, () => {
        const row = findRow<NewDevice & { readonly networkId: string }>`
          select device_name as deviceName, device_spec as deviceSpec, network_id as networkId
          from pairing join network using (network_id) where code = ${code} and ${isOpen()}
          and secret_hash = ${hashSecretCode(secret)} and network_name = ${networkName} collate nocase`;
        if (row === undefined) throw refuse('Invalid, expired or used code.');
        if (!hasRoom(row.networkId)) throw refuse('The network has its maximum of clients.');
        run`delete from pairing where code = ${code}`;
        return clients.create({
          networkId: row.networkId,
          description: row.deviceName,
          deviceSpec: row.deviceSpec,
          provideMode: profile.initialMode,
        });
      }),
    list: (networkId) =>
      listRows<Row>`select ${toAdoption} from pairing where network_id = ${networkId} and ${isOpen()}
        order by expires_ms, rowid`.map(withTime),
    giveBack: (networkId, code) =>
      findRow`update pairing set network_id = null where network_id = ${networkId} and code = ${code}
        returning code` !== undefined,
  };
}
