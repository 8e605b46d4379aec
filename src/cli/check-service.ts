import { type ErrorCode, hasCode, TributaryError } from '../lib/errors.ts';
import { judgeStatus } from '../service/judge-status.ts';
import { knock } from '../service/knock.ts';
import type { ServiceAddress } from '../service/url.ts';

/** To be refused for want of a token, or for asking often, is to have reached it. */
const reached: readonly ErrorCode[] = ['not-authorized', 'service-refused', 'rate-limited'];

/**
 * Asks the address, without a token, whether a bandwidth-sharing service is there; the profile that it shows, if any.
 * @throws what is wrong with it: configuration-invalid, insecure-url, service-unreachable, codes of `judgeStatus`
 */
export async function checkService(service: ServiceAddress): Promise<'production' | undefined> {
  const ask = async (name: 'clients' | 'setProvide') => {
    const answer = await knock(service, name, new AbortController().signal);
    return judgeStatus({ name, answer, secrets: [], nowMs: Date.now() });
  };
  const fault = await ask('clients').catch((error: unknown) => {
    if (!hasCode(error, 'service-unreachable')) throw error;
    throw new TributaryError(error.code, `nothing answers at ${service.baseUrl}: ${error.message}`, { cause: error });
  });
  if (fault !== undefined && !reached.includes(fault.code)) {
    const message = `${service.baseUrl} answers, but not as a bandwidth-sharing service does: ${fault.message}`;
    throw new TributaryError(fault.code, message, { cause: fault });
  }
  // Without any mode. The production profile has no such operation; if another service has none either, that profile's
  // numbers open the device to fewer people than was said, never to more.
  return hasCode(await ask('setProvide'), 'operation-not-served') ? 'production' : undefined;
}
