import { knock } from '../../../doctor/ask-service.ts';
import { hasCode, messageOf, TributaryError } from '../../../errors/codes.ts';
import { judgeStatus } from '../../../service/judge-status.ts';
import type { ServiceAddress } from '../../../service/url.ts';

/**
 * Asks without a token whether a bandwidth-sharing service answers, and which profile it shows, if
 * any.
 * @throws what is wrong
 */
export async function checkService(service: ServiceAddress): Promise<'production' | undefined> {
  const ask = async (name: 'clients' | 'setProvide') =>
    judgeStatus({ name, answer: await knock(service, name), secrets: [], nowMs: Date.now() });
  const fault = await ask('clients').catch((error: unknown) => error);
  if (hasCode(fault, 'insecure-url', 'configuration-invalid')) throw fault;
  // A refusal for want of a token, or for asking too often, means that the service was reached.
  const isReached = hasCode(fault, 'not-authorized', 'service-refused', 'rate-limited');
  if (!isReached && fault !== undefined) {
    const message = `no bandwidth-sharing service answers at ${service.baseUrl}: ${messageOf(fault)}`;
    throw fault instanceof TributaryError
      ? new TributaryError(fault.code, message, { cause: fault })
      : fault;
  }
  // The request names no mode. The production profile has no such operation. If another service
  // lacks it too, the numbers of that profile mean narrower modes there, or `default` for `none`,
  // which the agent enforces itself.
  return hasCode(await ask('setProvide'), 'operation-not-served') ? 'production' : undefined;
}
