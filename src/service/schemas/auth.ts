import * as z from 'zod';
import { errorObject, maybe, number, secret, text } from './wire.ts';

/** `duration_minutes`: validity, 10 by default. `uses`: redemptions, 1 by default. */
export const codeCreateRequest = z.object({
  duration_minutes: z.number().optional(),
  uses: z.int().optional(),
});
/** `duration_minutes` and `uses` as confirmed by the service. */
export const codeCreateResponse = z.object({
  auth_code: secret,
  duration_minutes: number,
  uses: number,
  error: errorObject,
});

export const codeLoginRequest = z.object({ auth_code: z.string() });
export const codeLoginResponse = z.object({ by_jwt: secret, error: errorObject });

/** `reset_code`: received by e-mail or SMS. */
export const passwordSetRequest = z.object({ reset_code: z.string(), password: z.string() });
/** Empty on success. */
export const passwordSetResponse = z.object({ error: errorObject });

/** `user_auth`: e-mail or phone number. `password` is required where there is no `auth_jwt`. */
export const upgradeGuestRequest = z.object({
  user_auth: z.string(),
  network_name: z.string(),
  password: z.string().optional(),
  auth_jwt: z.string().optional(),
  auth_jwt_type: z.enum(['google', 'apple', 'un']).optional(),
  wallet_auth: z.record(z.string(), z.unknown()).optional(),
});
/** `verification_required`: there while the new `user_auth` has to be verified. */
export const upgradeGuestResponse = z.object({
  network: maybe(z.object({ by_jwt: secret })),
  verification_required: maybe(z.object({ user_auth: text })),
  error: errorObject,
});
