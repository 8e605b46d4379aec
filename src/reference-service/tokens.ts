import { errors, jwtVerify, SignJWT } from 'jose';
import type { Secret } from '../lib/secret.ts';
import type { Network } from './networks.ts';

const issuer = 'tributary-reference-service';
const audience = 'tributary-clients';
const lifetimeSeconds = 30 * 86_400;

/** Signs and reads the service's JWTs (production-profile, "Tokens"). `key`: base64 of 32 bytes (HS256). */
export function createTokens(key: Secret, now: () => number) {
  const bytes = Buffer.from(key.reveal(), 'base64');
  const sign = (network: Network, more: Readonly<Record<string, string>>) => {
    const { networkId, networkName, userId, kind } = network;
    const guest = kind === 'guest' ? { guest_mode: true } : {};
    const whose = { network_id: networkId, network_name: networkName, user_id: userId, ...guest, ...more };
    const iat = Math.floor(now() / 1000);
    return new SignJWT({ ...whose, iss: issuer, aud: audience, iat, nbf: iat, exp: iat + lifetimeSeconds })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(bytes);
  };
  return {
    signNetwork: (network: Network) => sign(network, {}),
    signClient: (network: Network, { deviceId, clientId }: { readonly deviceId: string; readonly clientId: string }) =>
      sign(network, { device_id: deviceId, client_id: clientId }),
    /** The network id of a valid network token; undefined for any other text, a client's token included. */
    async readNetwork(token: string): Promise<string | undefined> {
      try {
        const currentDate = new Date(now());
        const { payload } = await jwtVerify(token, bytes, { issuer, audience, algorithms: ['HS256'], currentDate });
        const { network_id: networkId, client_id: clientId } = payload;
        return typeof networkId === 'string' && clientId === undefined ? networkId : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  } as const;
}
