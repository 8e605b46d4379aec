import * as z from 'zod';
import type { Secret } from '../lib/secret.ts';

/** Claims of a token, unverified: good for scheduling and for the client id, never for trust (production-profile, "Tokens"). */
export interface Claims {
  readonly networkId: string | undefined;
  readonly networkName: string | undefined;
  readonly userId: string | undefined;
  readonly clientId: string | undefined;
  /** Unix time in ms; undefined where the token names none. */
  readonly expiresAtMs: number | undefined;
}

/** What a token says of itself; undefined when it is not a JWT. A claim of the wrong type counts as absent. */
export function readClaims(token: Secret): Claims | undefined {
  const parts = token.reveal().split('.');
  if (parts.length !== 3) return undefined;
  const payload = parsePayload(parts[1] ?? '');
  if (payload === undefined) return undefined;
  return {
    networkId: payload.network_id,
    networkName: payload.network_name,
    userId: payload.user_id,
    clientId: payload.client_id,
    expiresAtMs: payload.exp === undefined ? undefined : payload.exp * 1000,
  };
}

const claim = z.string().min(1).optional().catch(undefined);
const payloadSchema = z.object({
  network_id: claim,
  network_name: claim,
  user_id: claim,
  client_id: claim,
  exp: z.number().optional().catch(undefined),
});

function parsePayload(encoded: string): z.output<typeof payloadSchema> | undefined {
  try {
    return payloadSchema.safeParse(JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
