import * as z from 'zod';
import { errorObject, flag, list, text } from './wire.ts';

/** `wallet_type`: managed or external. `blockchain`: SOL or MATIC. `active`: payouts may go there. */
export const wallet = z.object({
  wallet_id: text,
  managed_wallet_id: text,
  network_id: text,
  wallet_type: text,
  blockchain: text,
  wallet_address: text,
  active: flag,
  default_token_type: text,
  create_time: text,
});
export const walletsResponse = z.object({ wallets: list(wallet), error: errorObject });

export const setPayoutWalletRequest = z.object({ wallet_id: z.string() });
/** Empty on success. */
export const setPayoutWalletResponse = z.object({ error: errorObject });

/** `wallet_id` is absent while no wallet was chosen. */
export const payoutWalletResponse = z.object({ wallet_id: text, error: errorObject });
