import type { Books } from './books.ts';
import { refuse } from './error-object.ts';
import { type CheckedOrder, type OrderAnswers, type OrderName, type OrderRequest, orders } from './orders.ts';

/** One function per order, for requests that were checked. All throw usage-invalid for what cannot be done. */
export type Administration = {
  readonly [Name in OrderName]: (request: CheckedOrder<Name>) => OrderAnswers[Name] | Promise<OrderAnswers[Name]>;
};

/** Checks an order and has it done. @throws usage-invalid */
export type GiveOrder = <Name extends OrderName>(
  name: Name,
  request: OrderRequest<Name>,
) => Promise<OrderAnswers[Name]>;

/** The administration of these books. */
export function createAdministration(books: Books): Administration {
  const { networks, authCodes, passwords, wallets, clients, associations, tokens, directory } = books;
  const resolveId = (network: string | undefined) => networks.resolve(network).networkId;
  return {
    async createNetwork({ networkName, isPublic }) {
      const network = networks.create(networkName, { isPublic });
      const { networkId } = network;
      const authCode = authCodes.issue(networkId, { durationMinutes: 10, uses: 1 });
      return { networkId, networkName, networkJwt: await tokens.signNetwork(network), authCode };
    },
    async createGuest() {
      const guest = networks.createGuest();
      const { networkId, networkName } = guest;
      return { networkId, networkName, guestJwt: await tokens.signNetwork(guest) };
    },
    createAuthCode({ network, ...terms }) {
      const networkId = resolveId(network);
      return { networkId, authCode: authCodes.issue(networkId, terms), ...terms };
    },
    createResetCode({ network, durationMinutes }) {
      const networkId = resolveId(network);
      return { networkId, resetCode: passwords.issueResetCode(networkId, durationMinutes), durationMinutes };
    },
    createAdoptCode({ network, clientId, deviceName: wanted, durationMinutes }) {
      const networkId = resolveId(network);
      const deviceName = wanted ?? (clients.find(networkId, clientId)?.description || 'device');
      const { code } = associations.createAdoptCode({ networkId, clientId, deviceName, durationMinutes });
      return { networkId, clientId, deviceName, adoptCode: code, durationMinutes };
    },
    addWallet({ network, isActive, ...wallet }) {
      const networkId = resolveId(network);
      const { walletId, walletAddress } = wallets.add({ networkId, active: Number(isActive), ...wallet });
      return { networkId, walletId, walletAddress, isActive };
    },
    locateClient({ network, clientId, place }) {
      const networkId = resolveId(network);
      if (clients.find(networkId, clientId) === undefined) throw refuse(`The network has no client ${clientId}.`);
      const { city, country } = directory.locate(clientId, place);
      return { networkId, clientId, city, country };
    },
  };
}

/** Checks an order that came from anywhere, and has it done. @throws usage-invalid */
export async function giveOrder<Name extends OrderName>(
  administration: Administration,
  name: Name,
  request: unknown,
): Promise<OrderAnswers[Name]> {
  const parsed = orders[name].safeParse(request);
  // The table says what the request is; the compiler cannot follow a name that it has not got.
  if (parsed.success) return administration[name](parsed.data as CheckedOrder<Name>);
  const issue = parsed.error.issues[0];
  throw refuse(`${issue?.path.join('.') || 'the order'}: ${issue?.message}`);
}

/** True for the name of an order. */
export function isOrderName(name: string): name is OrderName {
  return Object.hasOwn(orders, name);
}
