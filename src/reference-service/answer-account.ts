import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { WireRequest } from '../service/operations.ts';
import type { Handlers } from './backend.ts';
import { toWireTime } from './profile.ts';
import { refuse } from './refusal.ts';

const pendingLimit = 10;

/**
 * The operations below `/auth` and `/account`. Every bad code gets one and the same error, so that
 * a caller learns nothing about codes.
 */
export const accountHandlers = {
  /** A login code for the caller's own network (service-interface, "Limits"). */
  codeCreate({ codes, profile }, { request, network: { networkId } }) {
    const { duration_minutes = 10, uses = 1 } = request;
    const { leastMinutes, mostMinutes, mostUses } = profile.ofCode;
    if (!(duration_minutes >= leastMinutes && duration_minutes <= mostMinutes)) {
      throw refuse(`duration_minutes must be from ${leastMinutes} to ${mostMinutes}.`);
    }
    if (!(uses >= 1 && uses <= mostUses))
      throw refuse(`uses must be ${mostUses > 1 ? 'from 1 to ' : ''}${mostUses}.`);
    if (codes.countLoginCodes(networkId) >= pendingLimit) {
      const message = `The network has its maximum of ${pendingLimit} auth codes that are still good.`;
      return { error: { auth_code_limit_exceeded: true, message } };
    }
    const auth_code = codes.issue('login', networkId, { durationMinutes: duration_minutes, uses });
    return { auth_code, duration_minutes, uses };
  },

  async codeLogin({ codes, networks, tokens }, { request }) {
    const network = networks.find(codes.redeem('login', request.auth_code) ?? '');
    if (network === undefined) throw refuse('Invalid, expired or used auth code.');
    return { by_jwt: await tokens.signNetwork(network) };
  },

  /** A network's token cannot be renewed, as in production. */
  async refreshToken({ clients, tokens }, { network, ownClientId = '' }) {
    const client = clients.find(network.networkId, ownClientId);
    if (client === undefined) throw refuse('Only the token of a client can be renewed.');
    return { by_jwt: await tokens.signClient(network, client) };
  },

  /**
   * No operation signs in with a password, so it is checked but not kept. If it is refused, the
   * code stays valid.
   */
  passwordSet({ codes }, { request }) {
    checkPassword(request.password);
    if (codes.redeem('reset', request.reset_code) === undefined)
      throw refuse('Invalid, expired or used reset code.');
    return {};
  },

  /** The guest's old token stays valid. */
  async upgradeGuest({ networks, tokens, warn }, { request, network }) {
    const { network_name: networkName, user_auth, wallet_auth } = request;
    checkUserAuth(user_auth);
    checkProof(request);
    const answer = {
      network: {
        by_jwt: await tokens.signNetwork(networks.upgrade(network.networkId, networkName)),
      },
    };
    if (wallet_auth !== undefined)
      warn(`network ${networkName} asked for wallet_auth, which has no effect here`);
    // If a third party vouches for the user, nothing has to be verified.
    return request.auth_jwt === undefined
      ? { ...answer, verification_required: { user_auth } }
      : answer;
  },

  wallets: ({ profile, wallets }, { network }) => ({
    wallets: wallets.list(network.networkId).map((wallet) => ({
      wallet_id: wallet.walletId,
      managed_wallet_id: wallet.managedWalletId ?? undefined,
      network_id: wallet.networkId,
      wallet_type: wallet.walletType,
      blockchain: wallet.blockchain,
      wallet_address: wallet.walletAddress,
      active: wallet.active === 1,
      default_token_type: wallet.defaultTokenType,
      create_time: toWireTime(profile, wallet.createdMs),
    })),
  }),

  payoutWallet: ({ wallets }, { network }) => ({
    wallet_id: wallets.findPayoutWallet(network.networkId),
  }),

  /** What was measured until now is counted. */
  async transferStats({ payouts, sample }, { network }) {
    await sample();
    const { paidBytes, unpaidBytes } = payouts.sum(network.networkId);
    return { paid_bytes_provided: paidBytes, unpaid_bytes_provided: unpaidBytes };
  },

  /** A wallet of another network gets the error for an unknown wallet. */
  setPayoutWallet({ wallets }, { request, network }) {
    if (wallets.choosePayoutWallet(network.networkId, request.wallet_id)) return {};
    throw refuse('The network has no such active wallet.');
  },
} satisfies Partial<Handlers>;

function checkUserAuth(userAuth: string): void {
  const isEmail = userAuth.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(userAuth);
  const isPhone =
    /^\+?[\d ().-]+$/.test(userAuth) && /^\d{6,15}$/.test(userAuth.replace(/\D/g, ''));
  if (!isEmail && !isPhone) throw refuse('user_auth must be an e-mail address or a phone number.');
}

function checkPassword(password: string): void {
  const { length } = [...password];
  if (length < 8 || length > 1000) throw refuse('A password has 8 to 1000 characters.');
}

/**
 * This service knows no third party, so it trusts any text that looks like a third party's token.
 */
function checkProof({
  password,
  auth_jwt: authJwt,
  auth_jwt_type: type,
}: WireRequest<'upgradeGuest'>): void {
  if (password !== undefined) checkPassword(password);
  else if (authJwt === undefined) throw refuse('A password or an auth_jwt is needed.');
  if ((authJwt === undefined) !== (type === undefined))
    throw refuse('auth_jwt and auth_jwt_type need each other.');
  if (authJwt === undefined) return;
  try {
    decodeProtectedHeader(authJwt);
    decodeJwt(authJwt);
  } catch {
    throw refuse('auth_jwt must be a JWT.');
  }
}
