import * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import type { Secret } from '../lib/secret.ts';
import { fromWire } from './wire-case.ts';

/**
 * The claims of a token, without checking its signature: good for scheduling and the client id,
 * never for trust. A claim of the wrong type counts as absent.
 */
export function readClaims(token: Secret): z.output<typeof claimsSchema> | undefined {
  const [, payload = '', ...rest] = token.reveal().split('.');
  if (rest.length !== 1) return undefined;
  return claimsSchema.safeParse(parseJson(Buffer.from(payload, 'base64url').toString('utf8'))).data;
}

/** The network of a token: by its name if the token has it, otherwise by its id. */
export function findNetworkName(token: Secret): string {
  const { networkName, networkId } = readClaims(token) ?? {};
  return networkName ?? networkId ?? 'a network that the token does not name';
}

const claim = z.string().min(1).optional().catch(undefined);
const moment = z.number().optional().catch(undefined);
const claimsSchema = z
  .object({
    network_id: claim,
    network_name: claim,
    user_id: claim,
    client_id: claim,
    exp: moment,
    iat: moment,
    nbf: moment,
  })
  .transform(({ exp, iat, nbf, ...names }) => ({
    ...fromWire(names),
    /** In ms since 1970. */
    expiresAtMs: toMs(exp),
    /** When it was issued, or else from when on it is good, in ms since 1970. */
    issuedAtMs: toMs(iat ?? nbf),
  }));

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
