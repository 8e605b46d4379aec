import type { Answer } from './answer.ts';
import { type OperationName, operations } from './operations.ts';
import { createTransport } from './transport.ts';
import { joinOperationPath, parseServiceUrl, type ServiceAddress } from './url.ts';

const limits = { connectMs: 4000, headersMs: 6000, bodyMs: 4000 };
const bodyLimitBytes = 256 * 1024;

/**
 * The answer to one request without a token, not judged yet. An operation that takes a body gets an empty one.
 * @throws configuration-invalid, insecure-url, service-unreachable, answer-truncated; AbortError
 */
export async function knock(service: ServiceAddress, name: OperationName, signal: AbortSignal): Promise<Answer> {
  const base = parseServiceUrl(service);
  const { method, path } = operations[name];
  const transport = createTransport(base.origin, limits, service.certificateAuthority);
  const sent =
    method === 'POST'
      ? { headers: { 'content-type': 'application/json' }, body: '{}' }
      : { headers: {}, body: undefined };
  try {
    return await transport.exchange({ method, path: joinOperationPath(base, path), ...sent, bodyLimitBytes }, signal);
  } finally {
    await transport.close();
  }
}
