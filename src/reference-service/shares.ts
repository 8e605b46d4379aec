import type { DatabaseSync } from 'node:sqlite';
import { createAssociationCode } from './association-code.ts';

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
  const insert = database.prepare(
    'insert into share (code, network_id, client_id, device_name, created_ms) values (?, ?, ?, ?, ?)',
  );
  const pending = database.prepare(
    'select count(*) as shares from share where network_id = ? and guest_network_id is null',
  );
  const byCode = database.prepare(
    `select code, network_id as networkId, client_id as clientId, device_name as deviceName
     from share where code = ? and guest_network_id is null`,
  );
  const accept = database.prepare(
    'update share set guest_network_id = ?, guest_client_id = ?, added_ms = ? where code = ?',
  );
  const outgoing = database.prepare(
    `select code, device_name as deviceName, client_id as clientId, network_name as networkName
     from share left join network on network.network_id = guest_network_id
     where share.network_id = ? order by share.created_ms, share.rowid`,
  );
  const incoming = database.prepare(
    `select code, device_name as deviceName, guest_client_id as clientId, network_name as networkName
     from share join network using (network_id) where guest_network_id = ? order by added_ms, share.rowid`,
  );
  const ofGuest = database.prepare('select 1 from share where guest_network_id = ? and guest_client_id = ?');
  const withdraw = database.prepare(
    `delete from share where network_id = ? and client_id = ?
       and (guest_network_id is null or guest_network_id = ?)`,
  );
  const move = database.prepare('update share set network_id = ? where network_id = ? and client_id = ?');
  return {
    create({ networkId, clientId, deviceName }) {
      const code = createAssociationCode();
      insert.run(code, networkId, clientId, deviceName, now());
      return code;
    },
    countPending: (networkId) => Number(pending.get(networkId)?.shares),
    findPending: (code) => byCode.get(code) as Share | undefined,
    accept(code, guest) {
      accept.run(guest.networkId, guest.clientId, now(), code);
    },
    listOutgoing: (networkId) => outgoing.all(networkId) as unknown as readonly SharedDevice[],
    listIncoming: (networkId) => incoming.all(networkId) as unknown as readonly SharedDevice[],
    isIncoming: (networkId, clientId) => ofGuest.get(networkId, clientId) !== undefined,
    follow({ clientId, fromNetworkId, toNetworkId }) {
      withdraw.run(fromNetworkId, clientId, toNetworkId);
      move.run(toNetworkId, fromNetworkId, clientId);
    },
  };
}
