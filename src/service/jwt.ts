import * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import type { Secret } from '../lib/secret.ts';

/** Unverified: good for scheduling and the client id, never for trust. A claim of the wrong type counts as absent. */
export function readClaims(token: Secret): z.output<typeof claimsSchema> | undefined {
  const [, payload = '', ...rest] = token.reveal().split('.');
  if (rest.length !== 1) return undefined;
  return claimsSchema.safeParse(parseJson(Buffer.from(payload, 'base64url').toString('utf8'))).data;
}

const claim = z.string().min(1).optional().catch(undefined);
const claimsSchema = z
  .object({
    network_id: claim,
    network_name: claim,
    user_id: claim,
    client_id: claim,
    exp: z.number().optional().catch(undefined),
  })
  .transform((claims) => ({
    networkId: claims.network_id,
    networkName: claims.network_name,
    userId: claims.user_id,
    clientId: claims.client_id,
    /** Unix time. */
    expiresAtMs: claims.exp === undefined ? undefined : claims.exp * 1000,
  }));
