import { type Id, toUuid } from '../wire/id.ts';
import { createExchange } from './http-exchange.ts';

/** The public key of a client; undefined where it has none, and where nobody answers that. */
export type FindKey = (clientId: Id, signal: AbortSignal) => Promise<Buffer | undefined>;

const keyLength = 32;
const longestAnswer = 1000;

/**
 * Asks the service whose control is at this address. The answer is the same for everybody, so no
 * token is sent with it.
 */
export function createFindKey(of: {
  readonly controlUrl: string;
  readonly authority: string | undefined;
}): FindKey {
  const { controlUrl, authority } = of;
  const isSecure = controlUrl.startsWith('https:');
  const exchange = createExchange({ isSecure, authority });
  return async (clientId, signal) => {
    const url = new URL(`../key/${toUuid(clientId)}`, controlUrl).href;
    const { answer } = await exchange({ method: 'GET', url, headers: {} }, signal);
    return answer.kind === 'answered' && answer.status === 200 ? readKey(answer.text) : undefined;
  };
}

/** `{ "public_key": base64 }`; null for none. */
function readKey(text: string): Buffer | undefined {
  if (text.length > longestAnswer) return undefined;
  try {
    const { public_key: key } = Object(JSON.parse(text)) as { readonly public_key?: unknown };
    const bytes = Buffer.from(typeof key === 'string' ? key : '', 'base64');
    return bytes.length === keyLength ? bytes : undefined;
  } catch {
    return undefined;
  }
}
