import type { DatabaseSync } from 'node:sqlite';
import type { ProvideMode } from '../service/profiles.ts';
import { type Adoption, createAdoptCodes } from './adopt-codes.ts';
import type { Clients } from './clients.ts';
import { normalizeAssociationCode } from './codes.ts';
import { inTransaction } from './database.ts';
import { refuse } from './refusal.ts';
import { createShares, type Share, type SharedDevice } from './shares.ts';

/** A device that may be added by another network. */
interface Offer {
  readonly networkId: string;
  readonly clientId: string;
  /** One line of 1 to 100 characters. */
  readonly deviceName: string;
}

/** What became of a code: the recipient's own client for a shared device, or the device itself. */
export type AddedDevice =
  | { readonly type: 'share'; readonly share: Share; readonly clientId: string }
  | { readonly type: 'adopt'; readonly adoption: Adoption };

/** Devices shared with other networks, and handed over to them. */
export interface Associations {
  /** @throws usage-invalid: not this network's own client, a name out of bounds, too many pending codes */
  createShareCode(offer: Offer): { readonly code: string };
  /** `durationMinutes`: how long the code is good. @throws usage-invalid: as above, or a time that is none */
  createAdoptCode(offer: Offer & { readonly durationMinutes: number }): { readonly code: string };
  /** Uses the code up for this network. @throws usage-invalid: no such code, one's own, or no room for another client */
  add(networkId: string, code: string): AddedDevice;
  list(networkId: string): {
    readonly adoptions: readonly Adoption[];
    readonly incoming: readonly SharedDevice[];
    readonly outgoing: readonly SharedDevice[];
  };
}

interface AssociationsOptions {
  readonly clients: Clients;
  /** Devices that one network may have. */
  readonly clientLimit: number;
  /** The mode of a client that nobody has set one for. */
  readonly initialMode: ProvideMode;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Share codes of one network that wait to be added. */
const pendingLimit = 100;
const nameLimit = 100;
/** Strangers are shown the name: no escape sequences, line ends, or letters that turn the direction round. */
const notOneLine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const maxMinutes = 366 * 1440;

/** The associations of this database. */
export function createAssociations(database: DatabaseSync, options: AssociationsOptions): Associations {
  const { clients, clientLimit, initialMode, now } = options;
  const shares = createShares(database, now);
  const adoptCodes = createAdoptCodes(database, now);

  function check({ networkId, clientId, deviceName }: Offer): void {
    clients.get(networkId, clientId);
    if (shares.isIncoming(networkId, clientId)) throw refuse('The device belongs to the network that shared it.');
    if (deviceName.trim() === '' || [...deviceName].length > nameLimit || notOneLine.test(deviceName)) {
      throw refuse(`A device name is one line of 1 to ${nameLimit} characters.`);
    }
  }

  /** Another network's device, as a client that has never signed in. */
  function addShared(networkId: string, share: Share): AddedDevice {
    const { clientId } = clients.create({
      networkId,
      sourceClientId: share.clientId,
      description: share.deviceName,
      deviceSpec: '',
      provideMode: initialMode,
      proxy: undefined,
      authenticatedMs: 0,
    });
    shares.accept(share.code, { networkId, clientId });
    return { type: 'share', share, clientId };
  }

  function adopt(networkId: string, adoption: Adoption): AddedDevice {
    const { clientId, deviceName } = adoption;
    adoptCodes.spend(adoption);
    shares.follow({ clientId, fromNetworkId: adoption.networkId, toNetworkId: networkId });
    clients.handOver(clientId, { networkId, description: deviceName });
    return { type: 'adopt', adoption };
  }

  return {
    createShareCode(offer) {
      check(offer);
      if (shares.countPending(offer.networkId) >= pendingLimit) {
        throw refuse(`The network has its maximum of ${pendingLimit} share codes that wait to be added.`);
      }
      return { code: shares.create(offer) };
    },
    createAdoptCode(offer) {
      check(offer);
      if (!(offer.durationMinutes > 0 && offer.durationMinutes <= maxMinutes)) {
        throw refuse(`An adopt code lasts above 0 and up to ${maxMinutes} minutes.`);
      }
      return { code: adoptCodes.create(offer) };
    },
    add: (networkId, text) =>
      inTransaction(database, () => {
        // Before the code is looked at: a full network learns nothing about codes.
        if (clients.count(networkId) >= clientLimit) {
          throw refuse(`The network has reached its maximum of ${clientLimit} clients.`);
        }
        const code = normalizeAssociationCode(text);
        const share = shares.findPending(code);
        const adoption = adoptCodes.findPending(code);
        if ((share ?? adoption)?.networkId === networkId) throw refuse("The code is of this network's own device.");
        if (share !== undefined) return addShared(networkId, share);
        if (adoption !== undefined) return adopt(networkId, adoption);
        throw refuse('Invalid, expired or used code.');
      }),
    list: (networkId) => ({
      adoptions: adoptCodes.listPending(networkId),
      incoming: shares.listIncoming(networkId),
      outgoing: shares.listOutgoing(networkId),
    }),
  };
}
