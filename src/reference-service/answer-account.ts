import { GIB } from '../lib/units.ts';
import type { Backend, Handlers } from './backend.ts';
import type { Payment } from './payouts.ts';
import { usdcPerGib } from './prices.ts';
import { type ServedProfile, toWireTime } from './profile.ts';
import { refuse } from './refusal.ts';
import { toStableId } from './repeatable.ts';
import { isWalletAddress } from './wallet-address.ts';

const pendingLimit = 10;

/** Login codes, wallets and payouts. */
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

  createWallet({ wallets }, { request, network: { networkId } }) {
    const { blockchain, wallet_address: walletAddress, default_token_type: token } = request;
    if (!isWalletAddress(walletAddress, blockchain))
      throw refuse(`The address does not belong to the blockchain ${blockchain}.`);
    if ((token ?? 'USDC') !== 'USDC') throw refuse('Payouts are made in USDC alone.');
    const known = wallets.list(networkId).find((own) => own.walletAddress === walletAddress);
    const wallet = known ?? { networkId, blockchain, walletAddress, walletType: 'external' };
    return {
      wallet_id:
        'walletId' in wallet ? wallet.walletId : wallets.add({ ...wallet, active: 1 }).walletId,
    };
  },

  validateAddress: (_, { request: { address, chain = 'SOL' } }) => ({
    valid: isWalletAddress(address, chain),
  }),

  removeWallet({ wallets }, { request, network }) {
    if (!wallets.remove(network.networkId, request.wallet_id))
      throw refuse('The network has no such wallet.');
    return { success: true };
  },

  async payments(backend, { network: { networkId } }) {
    await backend.sample();
    const listed = listPayments(backend, networkId);
    return { account_payments: listed.map((one) => toWirePayment(backend.profile, one)) };
  },

  /** A point for each whole GiB that was paid. */
  async points(backend, { network: { networkId } }) {
    await backend.sample();
    const paid = listPayments(backend, networkId);
    return {
      network_points: paid.map(({ paymentId, bytes, paidMs }) => ({
        account_point_id: toStableId('point', paymentId),
        network_id: networkId,
        event: 'payout',
        point_value: Math.floor(bytes / GIB),
        account_payment_id: paymentId,
        create_time: toWireTime(backend.profile, paidMs),
      })),
    };
  },

  /** A wallet of another network gets the error for an unknown wallet. */
  setPayoutWallet({ wallets }, { request, network }) {
    if (wallets.choosePayoutWallet(network.networkId, request.wallet_id)) return {};
    throw refuse('The network has no such active wallet.');
  },
} satisfies Partial<Handlers>;

type ListedPayment = Payment &
  Readonly<Record<'paymentId' | 'walletId' | 'walletAddress' | 'blockchain', string>>;

/** Everything was paid to the wallet that is chosen now, because only that one is kept. */
function listPayments(
  { payouts, wallets }: Pick<Backend, 'payouts' | 'wallets'>,
  networkId: string,
): readonly ListedPayment[] {
  const walletId = wallets.findPayoutWallet(networkId);
  const wallet = wallets.list(networkId).find((own) => own.walletId === walletId);
  if (wallet === undefined) return [];
  const { walletAddress, blockchain } = wallet;
  return payouts.list(networkId).map((payment) => ({
    ...payment,
    paymentId: toStableId('payment', `${networkId} ${payment.paidMs}`),
    walletId: wallet.walletId,
    walletAddress,
    blockchain,
  }));
}

const nanoCentsPerDollar = 100e9;

function toWirePayment(profile: ServedProfile, { bytes, paidMs, ...payment }: ListedPayment) {
  const usdc = (bytes / GIB) * usdcPerGib;
  const time = toWireTime(profile, paidMs);
  return {
    payment_id: payment.paymentId,
    wallet_id: payment.walletId,
    wallet_address: payment.walletAddress,
    blockchain: payment.blockchain,
    payout_byte_count: bytes,
    payout_nano_cents: Math.round(usdc * nanoCentsPerDollar),
    token_type: 'USDC',
    token_amount: usdc,
    create_time: time,
    payment_time: time,
    completed: true,
    complete_time: time,
    canceled: false,
  };
}
