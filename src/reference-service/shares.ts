import type { DatabaseSync } from 'node:sqlite';
import { createAssociationCode } from './codes.ts';
import { insertInto, prepareFind, prepareList, prepareNumber, selectFields } from './statements.ts';

/** A device that its owner shows to another network. */
export interface Share {
  readonly code: string;
  /** The owner. */
  readonly networkId: string;
  readonly clientId: string;
  readonly deviceName: string;
}

/** A share as one of its two sides sees it. */
export interface SharedDevice {
  readonly code: string;
  readonly deviceName: string;
  /** The client of the side that asks. */
  readonly clientId: string;
  /** The other side; null while nobody has added the device. */
  readonly networkName: string | null;
}

/** A client that goes from one network to another. */
interface Handover {
  readonly clientId: string;
  readonly fromNetworkId: string;
  readonly toNetworkId: string;
}

/** Every share, pending or added. */
export interface Shares {
  /** A share that waits to be added: its code. */
  create(share: Omit<Share, 'code'>): string;
  countPending(networkId: string): number;
  /** undefined where no share with this code waits to be added. */
  findPending(code: string): Share | undefined;
  /** Notes who added it, and as which client. */
  accept(code: string, guest: { readonly networkId: string; readonly clientId: string }): void;
  /** What the network shares with others, oldest first. */
  listOutgoing(networkId: string): readonly SharedDevice[];
  /** What others share with the network, as it was added. */
  listIncoming(networkId: string): readonly SharedDevice[];
  /** True for a client that stands for a device of another network. */
  isIncoming(networkId: string, clientId: string): boolean;
  /** Withdraws the client's pending shares; the others go with it, but none is shared with its own network. */
  follow(handover: Handover): void;
}

/** The shares of this database; `now` is in Unix milliseconds. */
export function createShares(database: DatabaseSync, now: () => number): Shares {
  const fields = 'code networkId clientId deviceName';
  const insert = database.prepare(insertInto('share', `${fields} createdMs`));
  const ofGuest = prepareNumber(
    database,
    'select count(*) from share where guest_network_id = ? and guest_client_id = ?',
  );
  const accept = database.prepare(
    'update share set guest_network_id = ?, guest_client_id = ?, added_ms = ? where code = ?',
  );
  const withdraw = database.prepare(
    `delete from share where network_id = ? and client_id = ?
       and (guest_network_id is null or guest_network_id = ?)`,
  );
  const move = database.prepare('update share set network_id = ? where network_id = ? and client_id = ?');
  return {
    create({ networkId, clientId, deviceName }) {
      const code = createAssociationCode();
      insert.run({ code, networkId, clientId, deviceName, createdMs: now() });
      return code;
    },
    countPending: prepareNumber(
      database,
      'select count(*) from share where network_id = ? and guest_network_id is null',
    ),
    findPending: prepareFind(
      database,
      `select ${selectFields(fields)} from share where code = ? and guest_network_id is null`,
    ),
    accept(code, guest) {
      accept.run(guest.networkId, guest.clientId, now(), code);
    },
    listOutgoing: prepareList(
      database,
      `select ${selectFields('code deviceName clientId networkName')}
       from share left join network on network.network_id = guest_network_id
       where share.network_id = ? order by share.created_ms, share.rowid`,
    ),
    listIncoming: prepareList(
      database,
      `select ${selectFields('code deviceName networkName')}, guest_client_id as clientId
       from share join network using (network_id) where guest_network_id = ? order by added_ms, share.rowid`,
    ),
    isIncoming: (networkId, clientId) => ofGuest(networkId, clientId) > 0,
    follow({ clientId, fromNetworkId, toNetworkId }) {
      withdraw.run(fromNetworkId, clientId, toNetworkId);
      move.run(toNetworkId, fromNetworkId, clientId);
    },
  };
}
