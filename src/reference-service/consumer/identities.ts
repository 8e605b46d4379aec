import { provideModes } from '../../connect/wire/message-types.ts';
import { ensureOwnDirectory } from '../../system/files.ts';
import { createRepositories, defaultClientLimit, type Repositories } from '../backend.ts';
import { baseUrlSetting, openDatabase, readSetting } from '../database.ts';
import { hasCode } from '../errors.ts';
import type { Network } from '../networks.ts';
import { servedProfiles } from '../profile.ts';
import { queryOn } from '../statements.ts';

/** Consumers of a sandbox, as their owner would sign them up. */
export interface ConsumerDirectory {
  /** Where the service was listening last; undefined for one that never ran. */
  readonly serviceUrl: string | undefined;
  /**
   * So many clients of a network, the same ones each time. By default the network is one of their
   * own, so that they pay for what they use.
   * @throws usage-invalid for an unknown network
   */
  enrol(of: {
    readonly count: number;
    readonly network: string | undefined;
  }): Promise<readonly ConsumerIdentity[]>;
  /**
   * The client that provides to this network: the named one, or the one that was registered first.
   * Undefined while no such client is connected.
   */
  findProvider(of: {
    readonly networkId: string;
    readonly named: string | undefined;
  }): string | undefined;
  close(): void;
}

export interface ConsumerIdentity {
  readonly clientId: string;
  readonly networkId: string;
  /** The token of this client alone. */
  readonly token: string;
}

const usualNetwork = 'consumers';

/** @throws state-unreadable, state-unwritable */
export async function openConsumerDirectory(directory: string): Promise<ConsumerDirectory> {
  await ensureOwnDirectory(directory);
  const database = openDatabase(directory);
  const repositories = createRepositories(database, {
    profile: servedProfiles.documented,
    clientLimit: defaultClientLimit,
    now: Date.now,
  });
  const { findRow } = queryOn(database);

  const findConsumer = (networkId: string, description: string): string =>
    findRow<{ readonly clientId: string }>`select client_id as clientId from client
      where network_id = ${networkId} and description = ${description} and device_spec = ${deviceSpec}`
      ?.clientId ??
    repositories.clients.create({ networkId, description, deviceSpec, provideMode: 'none' })
      .clientId;

  return {
    serviceUrl: readSetting(database, baseUrlSetting),
    async enrol({ count, network: named }) {
      const network = findNetwork(repositories, named);
      const { networkId } = network;
      const identities: ConsumerIdentity[] = [];
      for (let number = 1; number <= count; number += 1) {
        const clientId = findConsumer(networkId, `consumer ${number}`);
        const known = repositories.clients.get(networkId, clientId);
        const token = await repositories.tokens.signClient(network, known);
        identities.push({ clientId, networkId, token });
      }
      return identities;
    },
    findProvider: ({ networkId, named }) =>
      findRow<{ readonly clientId: string }>`select client_id as clientId from client
        join provide_key using (client_id)
        where is_online = 1 and mode = iif(network_id = ${networkId}, ${provideModes.network}, ${provideModes.public})
        and coalesce(${named ?? null}, client_id) = client_id order by client.sequence limit 1`
        ?.clientId,
    close: () => database.close(),
  };
}

const deviceSpec = 'sandbox consumer';

function findNetwork({ networks }: Repositories, named: string | undefined): Network {
  if (named !== undefined) return networks.resolve(named);
  try {
    return networks.resolve(usualNetwork);
  } catch (error) {
    if (!hasCode(error, 'usage-invalid')) throw error;
    return networks.create(usualNetwork);
  }
}
