import type { DatabaseSync } from 'node:sqlite';
import type { Clients } from './clients.ts';
import { createAssociationCode } from './codes.ts';
import { inTransaction } from './database.ts';
import type { Terms } from './profile.ts';
import { checkLine, refuse } from './refusal.ts';
import { queryOn, type Sql, selectFields, sql } from './statements.ts';

const shareFields = 'code networkId clientId deviceName';
const adoptionFields = `${shareFields} durationMinutes`;

/** A device that its owner shares with another network. Network and client are the owner's. */
interface Share {
  readonly code: string;
  readonly networkId: string;
  readonly clientId: string;
  readonly deviceName: string;
}

type Offer = Omit<Share, 'code'>;
/** A device that its owner hands over to the network that uses the code in time. */
export interface Adoption extends Share {
  /** How long the code is valid, from when it was made. */
  readonly durationMinutes: number;
}

/** A share for one of its two sides, whose client is named. */
export interface SharedDevice extends Omit<Share, 'networkId'> {
  /** The other side's name; null until it has added the device. */
  readonly networkName: string | null;
  /** 1 until the other side has added it and, where that is asked for, this one confirmed. */
  readonly isPending: 0 | 1;
}

const pendingLimit = 100;
const maxMinutes = 366 * 1440;

/** What using a code up did: a shared device became a client, or a client changed its network. */
type Added =
  | { readonly type: 'share'; readonly share: Share; readonly clientId: string }
  | { readonly type: 'adopt'; readonly adoption: Adoption };

/** The devices that are shared with other networks or handed over to them. */
export interface Associations {
  /**
   * Makes a code to share a device.
   * @throws usage-invalid: the client is not this network's own, a name is too long or too short,
   * or too many codes are pending
   */
  createShareCode(offer: Offer): string;
  /**
   * Makes a code to hand a device over, which is valid for `durationMinutes`.
   * @throws usage-invalid: as above, or a time out of bounds
   */
  createAdoptCode(offer: Offer & { readonly durationMinutes: number }): string;
  /**
   * Uses the code up for this network.
   * @throws usage-invalid: the code is unknown, it is this network's own, of a device that it has
   * already, or the network cannot have another client
   */
  add(networkId: string, code: string): Added;
  /**
   * Confirms the network that added the device of a code, which is named. Returns its name.
   * @throws usage-invalid for a code of another network, or another name
   */
  confirm(networkId: string, code: string, networkName: string): string;
  /**
   * Ends a share that the network is a side of, or withdraws its code.
   * @throws usage-invalid for any other code
   */
  remove(networkId: string, code: string): void;
  /** Ends the shares and the codes of a client that leaves this network for good. */
  forget(networkId: string, clientId: string): void;
  /**
   * Adopt codes that are still valid, the first to expire first; then shares with this network and
   * by it, oldest first.
   */
  list(networkId: string): {
    readonly adoptions: readonly Adoption[];
    readonly incoming: readonly SharedDevice[];
    readonly outgoing: readonly SharedDevice[];
  };
}

/** The shares and codes of this database. */
export function createAssociations(
  database: DatabaseSync,
  clients: Clients,
  { profile, clientLimit, now }: Terms,
): Associations {
  const { insert, run, findRow, listRows, readNumber } = queryOn(database);

  function check({ networkId, clientId, deviceName }: Offer): void {
    clients.get(networkId, clientId);
    const asGuest = findRow`select code from share
      where guest_network_id = ${networkId} and guest_client_id = ${clientId}`;
    if (asGuest !== undefined) throw refuse('The device belongs to the network that shared it.');
    checkLine('A device name', deviceName, [1, 100]);
  }

  /** A device that is shared twice would be two clients of the network, of which one is nothing. */
  function checkIsNew(networkId: string, { clientId }: Share): void {
    const earlier = findRow`select code from share
      where guest_network_id = ${networkId} and client_id = ${clientId}`;
    if (earlier !== undefined) throw refuse('The device is shared with this network already.');
  }

  /** Adds another network's device, as a client that has never signed in. */
  function addShared(networkId: string, share: Share) {
    const { clientId } = clients.create({
      networkId,
      sourceClientId: share.clientId,
      description: share.deviceName,
      deviceSpec: '',
      provideMode: profile.initialMode,
      authenticatedMs: 0,
    });
    const confirmedMs = profile.confirmsShares ? null : now();
    run`update share set guest_network_id = ${networkId}, guest_client_id = ${clientId}, added_ms = ${now()},
      confirmed_ms = ${confirmedMs} where code = ${share.code}`;
    return { type: 'share', share, clientId } as const;
  }

  /**
   * Moves the client to the network. Its other codes become invalid. Its shares move with it,
   * except a share with that network.
   */
  function adopt(toNetworkId: string, adoption: Adoption) {
    const { code, clientId, deviceName } = adoption;
    const ofClient = sql`network_id = ${adoption.networkId} and client_id = ${clientId}`;
    run`update adopt_code set adopted_ms = ${now()} where code = ${code}`;
    run`delete from adopt_code where ${ofClient} and adopted_ms is null`;
    run`delete from share where ${ofClient} and (guest_network_id is null or guest_network_id = ${toNetworkId})`;
    run`update share set network_id = ${toNetworkId} where ${ofClient}`;
    // Only the clients that represent it may be derived from another network's client.
    run`update client set source_client_id = null
      where network_id = ${adoption.networkId} and ${clientId} in (client_id, source_client_id)`;
    clients.handOver(clientId, { networkId: toNetworkId, description: deviceName });
    return { type: 'adopt', adoption } as const;
  }

  const listAdoptions = (which: Sql) =>
    listRows<Adoption>`select ${selectFields(adoptionFields)} from adopt_code
      where ${which} and adopted_ms is null and expires_ms > ${now()} order by expires_ms, rowid`;

  return {
    createShareCode(offer) {
      check(offer);
      const isPending = sql`network_id = ${offer.networkId} and guest_network_id is null`;
      if (readNumber`select count(*) from share where ${isPending}` >= pendingLimit) {
        throw refuse(
          `The network has its maximum of ${pendingLimit} share codes that wait to be added.`,
        );
      }
      const code = createAssociationCode();
      insert('share', { ...offer, code, createdMs: now() });
      return code;
    },
    createAdoptCode(offer) {
      check(offer);
      if (!(offer.durationMinutes > 0 && offer.durationMinutes <= maxMinutes)) {
        throw refuse(`An adopt code lasts above 0 and up to ${maxMinutes} minutes.`);
      }
      const code = createAssociationCode();
      insert('adopt_code', {
        ...offer,
        code,
        expiresMs: Math.round(now() + offer.durationMinutes * 60_000),
      });
      return code;
    },
    add: (networkId, text) =>
      inTransaction(database, () => {
        // This is checked before the code is looked at, so that a full network learns nothing about
        // codes.
        if (clients.count(networkId) >= clientLimit) {
          throw refuse(`The network has reached its maximum of ${clientLimit} clients.`);
        }
        // A person may type the code in small letters or with blanks around it.
        const code = text.trim().toUpperCase();
        const share = findRow<Share>`select ${selectFields(shareFields)} from share
          where code = ${code} and guest_network_id is null`;
        const [adoption] = listAdoptions(sql`code = ${code}`);
        if ((share ?? adoption)?.networkId === networkId)
          throw refuse("The code is of this network's own device.");
        if (share !== undefined) {
          checkIsNew(networkId, share);
          return addShared(networkId, share);
        }
        if (adoption !== undefined) return adopt(networkId, adoption);
        throw refuse('Invalid, expired or used code.');
      }),
    confirm(networkId, code, networkName) {
      const isIt = sql`code = ${code} and network_id = ${networkId}
        and guest_network_id in (select network_id from network where network_name = ${networkName} collate nocase)`;
      if (findRow`update share set confirmed_ms = ${now()} where ${isIt} returning code`)
        return networkName;
      throw refuse('No network of that name has added the device of this code.');
    },
    remove: (networkId, code) =>
      inTransaction(database, () => {
        const withdrawn = findRow`delete from adopt_code
          where network_id = ${networkId} and code = ${code} and adopted_ms is null returning code`;
        const ended = findRow<{ readonly guestClientId: string | null }>`delete from share
          where code = ${code} and ${networkId} in (network_id, guest_network_id)
          returning guest_client_id as guestClientId`;
        if ((withdrawn ?? ended) === undefined) throw refuse('The network has no such code.');
        if (typeof ended?.guestClientId === 'string') clients.remove(ended.guestClientId);
      }),
    forget(networkId, clientId) {
      run`delete from adopt_code where network_id = ${networkId} and client_id = ${clientId}`;
      run`delete from share where (network_id = ${networkId} and client_id = ${clientId})
        or (guest_network_id = ${networkId} and guest_client_id = ${clientId})`;
    },

    list: (networkId) => ({
      adoptions: listAdoptions(sql`network_id = ${networkId}`),
      incoming: listRows<SharedDevice>`select guest_client_id as clientId, ${selectFields('code deviceName networkName')},
        confirmed_ms is null as isPending from share join network using (network_id) where guest_network_id = ${networkId}
        order by added_ms, share.rowid`,
      outgoing: listRows<SharedDevice>`select ${selectFields('code deviceName clientId networkName')},
        confirmed_ms is null as isPending from share left join network on network.network_id = guest_network_id
        where share.network_id = ${networkId} order by share.created_ms, share.rowid`,
    }),
  };
}
