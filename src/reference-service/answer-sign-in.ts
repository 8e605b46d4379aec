import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { WireRequest } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import { hashPassword, isPasswordOf, toWalletAuth } from './logins.ts';
import { refuse } from './refusal.ts';

/**
 * How people get into their networks. Every bad code gets one and the same error, so that a caller
 * learns nothing about codes.
 */
export const signInHandlers = {
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

  /** If the password is refused, the code stays valid. */
  async passwordSet({ codes, logins }, { request }) {
    checkPassword(request.password);
    const passwordHash = await hashPassword(request.password);
    const networkId = codes.redeem('reset', request.reset_code);
    if (networkId === undefined) throw refuse('Invalid, expired or used reset code.');
    logins.setPassword(networkId, passwordHash);
    return {};
  },

  /** Every bad login gets one and the same error, too. */
  async passwordLogin({ logins, networks, tokens }, { request }) {
    const { user_auth, password } = request;
    const login = logins.find(user_auth);
    const network = networks.find(login?.networkId ?? '');
    const isOwner = await isPasswordOf(login?.passwordHash ?? noPassword, password);
    if (!isOwner || network === undefined) throw refuse('Invalid login.');
    if (login?.isVerified !== 1) return { verification_required: { user_auth } };
    return { network: { by_jwt: await tokens.signNetwork(network), name: network.networkName } };
  },

  /** The answer is the same where nobody has this address. */
  verifySend(backend, { request: { user_auth } }) {
    sendCode(backend, 'verify', user_auth);
    return { user_auth };
  },

  async verify({ codes, logins, networks, tokens }, { request }) {
    const { user_auth, verify_code } = request;
    const networkId = logins.find(user_auth)?.networkId;
    const network = networks.find(networkId ?? '');
    if (network === undefined || codes.redeem('verify', verify_code) !== networkId)
      throw refuse('Invalid, expired or used verification code.');
    logins.markVerified(user_auth);
    return { network: { by_jwt: await tokens.signNetwork(network) } };
  },

  /** The answer is the same where nobody has this address. */
  passwordReset(backend, { request: { user_auth } }) {
    sendCode(backend, 'reset', user_auth);
    return { user_auth };
  },

  /** The guest's old token stays valid. */
  async upgradeGuest(backend, { request, network: { networkId } }) {
    const { networks, logins, tokens } = backend;
    const { network_name: networkName, user_auth, password } = request;
    checkUserAuth(user_auth);
    checkProof(request);
    const wallet = findWallet(request);
    const walletAuth = wallet === undefined ? undefined : toWalletAuth(wallet);
    const passwordHash = password === undefined ? null : await hashPassword(password);
    // A third party or a wallet vouches for the user, and then nothing has to be verified.
    const isVerified = request.auth_jwt !== undefined || walletAuth !== undefined;
    const login = { networkId, passwordHash, isVerified: isVerified ? 1 : 0 } as const;
    for (const one of [user_auth, walletAuth]) if (one !== undefined) logins.checkFree(one);
    const upgraded = networks.upgrade(networkId, networkName);
    for (const one of [user_auth, walletAuth]) if (one !== undefined) logins.add(one, login);
    const answer = { network: { by_jwt: await tokens.signNetwork(upgraded) } };
    if (isVerified) return answer;
    sendCode(backend, 'verify', user_auth);
    return { ...answer, verification_required: { user_auth } };
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
  if (length < 8 || length > 1000 || password.trim() === '')
    throw refuse('A password has 8 to 1000 characters, and not blanks alone.');
}

const signed = ['wallet_address', 'wallet_message', 'wallet_signature'] as const;

/**
 * The address of the wallet that signed; undefined without one. This service follows no blockchain,
 * so it trusts any signature.
 */
function findWallet({ wallet_auth }: WireRequest<'upgradeGuest'>): string | undefined {
  if (wallet_auth === undefined) return undefined;
  for (const field of signed) {
    const text = wallet_auth[field];
    if (typeof text !== 'string' || text === '') throw refuse(`wallet_auth.${field} is missing.`);
  }
  return String(wallet_auth[signed[0]]);
}

const codeMinutes = { verify: 30, reset: 30 } as const;

/** Sends a code to a person, if a network belongs to the address. */
function sendCode(
  { codes, logins, deliver }: Backend,
  purpose: keyof typeof codeMinutes,
  userAuth: string,
): void {
  const networkId = logins.find(userAuth)?.networkId;
  if (networkId === undefined) return;
  const terms = { durationMinutes: codeMinutes[purpose], uses: 1 };
  deliver({ to: userAuth, purpose, code: codes.issue(purpose, networkId, terms) });
}

/** Of no password, so that a stranger is answered as late as an owner. */
const noPassword =
  '00000000000000000000000000000000:0000000000000000000000000000000000000000000000000000000000000000';

/**
 * This service knows no third party, so it trusts any text that looks like a third party's token.
 */
function checkProof({
  password,
  auth_jwt: authJwt,
  auth_jwt_type: type,
  wallet_auth: walletAuth,
}: WireRequest<'upgradeGuest'>): void {
  if (password !== undefined) checkPassword(password);
  else if (authJwt === undefined && walletAuth === undefined)
    throw refuse('A password, an auth_jwt or a wallet_auth is needed.');
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
