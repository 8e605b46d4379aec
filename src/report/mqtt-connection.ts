import { isIP, type Socket } from 'node:net';
import { connect as connectWithTls } from 'node:tls';
import { connectInTurn, connectSecurely, type Names } from '../lib/connect-in-turn.ts';
import { hostPortOfUrl } from '../lib/host-port.ts';

/** Which broker, and who vouches for it. */
export interface BrokerAddress {
  readonly url: string;
  /** PEM; undefined for the authorities that Node knows. */
  readonly certificateAuthority: string | undefined;
}

/** For TCP: a fourth try of the system is in it. As long again for TLS, at each address. */
const connectMs = 15_000;

/**
 * A connection to the broker, secure where its URL asks for that. Each address of its name gets its
 * turn, also after one where TLS fails.
 * @param names by default the system's own
 * @throws Error that says why it failed, AbortError
 */
export async function connectToBroker(
  broker: BrokerAddress,
  names: Names | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const target = { ...hostPortOfUrl(broker.url), timeoutMs: connectMs, names };
  if (!broker.url.startsWith('mqtts:')) return connectInTurn(target, signal);
  return connectSecurely(target, (socket) => secure(socket, broker, signal), signal);
}

/** The broker's certificate is always checked. */
async function secure(
  socket: Socket,
  { url, certificateAuthority }: BrokerAddress,
  signal: AbortSignal,
): Promise<Socket> {
  const { host } = hostPortOfUrl(url);
  const secured = connectWithTls({
    socket,
    rejectUnauthorized: true,
    // An address is no name to ask for; the certificate is held against it nevertheless.
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  const deadline = setTimeout(() => reject(new Error('the broker does not answer')), connectMs);
  signal.addEventListener('abort', onAbort, { once: true });
  secured.once('secureConnect', resolve);
  // It stays: what goes wrong once nobody listens any more must not end the agent.
  secured.on('error', reject);
  secured.once('close', () => reject(new Error('the broker closed the connection')));
  if (signal.aborted) onAbort();
  try {
    await promise;
    return secured;
  } catch (error) {
    secured.destroy();
    throw error;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', onAbort);
  }
}
