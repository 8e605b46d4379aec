import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Secret } from '../lib/secret.ts';
import type { Network } from './networks.ts';

const issuer = 'tributary-reference-service';
const audience = 'tributary-clients';
const monthSeconds = 30 * 86_400;

const mostKept = 10_000;

type Holder = Readonly<{ networkId: string; clientId: string | undefined }>;

/** Only this service has the key, so the claims of a valid token are exactly what was signed. */
type Claims = Readonly<Partial<Record<'network_id' | 'client_id', string>>>;

/** Signs and reads the service's JWTs (production-profile, "Tokens"). */
export interface Tokens {
  signNetwork(network: Network): Promise<string>;
  /** Signs the token of one client, for that client alone. */
  signClient(
    network: Network,
    client: { readonly deviceId: string; readonly clientId: string },
  ): Promise<string>;
  /**
   * The holder of a valid token, which is a network or one of its clients; undefined for any other
   * text.
   */
  read(token: string): Promise<Holder | undefined>;
}

/**
 * Tokens by this key, base64 of 32 bytes (HS256), which are good for 30 days by default; `now` is
 * in ms since 1970.
 */
export function createTokens(
  key: Secret,
  now: () => number,
  lifetimeSeconds: number = monthSeconds,
): Tokens {
  // A key object is prepared once; bytes would be prepared again for each token.
  const secretKey = createSecretKey(Buffer.from(key.reveal(), 'base64'));
  /** Tokens whose signature was checked before, because checking takes longer than most answers. */
  const read = new Map<string, Readonly<{ holder: Holder; endsMs: number }>>();
  const sign = (network: Network, more: Readonly<Record<string, string>>) => {
    const { networkId, networkName, userId, kind } = network;
    const guest = kind === 'guest' ? { guest_mode: true } : {};
    const whose = {
      network_id: networkId,
      network_name: networkName,
      user_id: userId,
      ...guest,
      ...more,
    };
    const iat = Math.floor(now() / 1000);
    return new SignJWT({
      ...whose,
      iss: issuer,
      aud: audience,
      iat,
      nbf: iat,
      exp: iat + lifetimeSeconds,
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(secretKey);
  };
  return {
    signNetwork: (network) => sign(network, {}),
    signClient: (network, { deviceId, clientId }) =>
      sign(network, { device_id: deviceId, client_id: clientId }),
    async read(token) {
      const known = read.get(token);
      if (known !== undefined && now() < known.endsMs) return known.holder;
      try {
        const currentDate = new Date(now());
        const options = { issuer, audience, algorithms: ['HS256'], currentDate };
        const { payload } = await jwtVerify<Claims>(token, secretKey, options);
        const { network_id: networkId, client_id: clientId, exp = 0 } = payload;
        if (networkId === undefined) return undefined;
        const holder = { networkId, clientId };
        if (read.size >= mostKept) read.clear();
        read.set(token, { holder, endsMs: exp * 1000 });
        return holder;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
