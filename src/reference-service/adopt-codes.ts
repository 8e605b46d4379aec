import type { DatabaseSync } from 'node:sqlite';
import { createAssociationCode } from './codes.ts';
import { insertInto, prepareFind, prepareList, selectFields } from './statements.ts';

/** A device that its owner hands over to whoever brings the code in time. */
export interface Adoption {
  readonly code: string;
  /** The owner until then. */
  readonly networkId: string;
  readonly clientId: string;
  readonly deviceName: string;
  /** How long the code is good from the moment it was made. */
  readonly durationMinutes: number;
}

/** The adopt codes. */
export interface AdoptCodes {
  create(adoption: Omit<Adoption, 'code'>): string;
  /** undefined where the code is unknown, used or expired. */
  findPending(code: string): Adoption | undefined;
  /** The network's codes that nobody has used yet and that are still good, the first to expire first. */
  listPending(networkId: string): readonly Adoption[];
  /** Uses the code up; others that hand over the same client are worth nothing any more. */
  spend(adoption: Adoption): void;
}

/** The adopt codes of this database; `now` is in Unix milliseconds. */
export function createAdoptCodes(database: DatabaseSync, now: () => number): AdoptCodes {
  const fields = 'code networkId clientId deviceName durationMinutes';
  const pending = `select ${selectFields(fields)} from adopt_code where adopted_ms is null and expires_ms > ?`;
  const insert = database.prepare(insertInto('adopt_code', `${fields} expiresMs`));
  const findPending = prepareFind<Adoption>(database, `${pending} and code = ?`);
  const listPending = prepareList<Adoption>(database, `${pending} and network_id = ? order by expires_ms, rowid`);
  const spend = database.prepare('update adopt_code set adopted_ms = ? where code = ?');
  const withdraw = database.prepare(
    'delete from adopt_code where network_id = ? and client_id = ? and adopted_ms is null',
  );
  return {
    create({ networkId, clientId, deviceName, durationMinutes }) {
      const code = createAssociationCode();
      const expiresMs = Math.round(now() + durationMinutes * 60_000);
      insert.run({ code, networkId, clientId, deviceName, durationMinutes, expiresMs });
      return code;
    },
    findPending: (code) => findPending(now(), code),
    listPending: (networkId) => listPending(now(), networkId),
    spend({ code, networkId, clientId }) {
      spend.run(now(), code);
      withdraw.run(networkId, clientId);
    },
  };
}
