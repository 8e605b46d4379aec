import { once } from 'node:events';
import { request } from 'node:http';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { TributaryError } from '../errors/codes.ts';
import { connectInTurn, namePatienceMs } from '../lib/connect-in-turn.ts';
import { hostPortOfUrl } from '../lib/host-port.ts';
import type { Secret } from '../lib/secret.ts';
import type { Answer } from '../service/answer.ts';
import { createServiceClient } from '../service/client.ts';
import { type OperationName, type OperationResponse, operations } from '../service/operations.ts';
import { createTransport } from '../service/transport.ts';
import { joinOperationPath, parseServiceUrl, type ServiceAddress } from '../service/url.ts';

const limits = { connectMs: 4000, headersMs: 6000, bodyMs: 4000 };
const bodyLimitBytes = 256 * 1024;
const dateMs = 5000;

/**
 * The service's answer to a request without a token, and for POST without fields.
 * @throws insecure-url, service-unreachable and the like
 */
export async function knock(service: ServiceAddress, name: OperationName): Promise<Answer> {
  const { method, path } = operations[name];
  const base = parseServiceUrl(service);
  await using transport = createTransport(base.origin, limits, service);
  const body = method === 'POST' ? '{}' : undefined;
  const headers = { 'content-type': 'application/json' };
  const exchange = { method, path: joinOperationPath(base, path), headers, body, bodyLimitBytes };
  return await transport.exchange(exchange, new AbortController().signal);
}

/**
 * The clients of the network, asked for with its token.
 * @throws codes of `ServiceClient.call`; signed-out without a token
 */
export async function listClients(
  service: ServiceAddress,
  token: Secret | undefined,
): Promise<OperationResponse<'clients'>['clients']> {
  if (token === undefined) throw new TributaryError('signed-out', 'there is no token to ask with');
  await using client = createServiceClient({
    ...service,
    fetchLimits: { ...limits, callMs: namePatienceMs + 8000 },
  });
  return (await client.call('clients', undefined, { token, signal: new AbortController().signal }))
    .clients;
}

/**
 * The Date header of an answer from the service's address, with any certificate; undefined without
 * an answer.
 */
export async function readDate(service: ServiceAddress): Promise<Date | undefined> {
  const base = parseServiceUrl(service);
  const place = hostPortOfUrl(base.href);
  const socket = await connectInTurn(
    { ...place, timeoutMs: dateMs },
    new AbortController().signal,
  ).catch(() => undefined);
  if (socket === undefined) return undefined;
  // With a wrong clock, a good certificate looks invalid. So it is not checked, and only the date
  // is believed.
  const secure = {
    rejectUnauthorized: false,
    ...(isIP(place.host) ? {} : { servername: place.host }),
  };
  const connection = base.protocol === 'https:' ? connectTls({ ...secure, socket }) : socket;
  const outgoing = request({
    method: 'HEAD',
    path: base.pathname,
    headers: { host: base.host },
    timeout: dateMs,
    createConnection: () => connection,
  }).once('timeout', () => outgoing.destroy());
  // An error that comes after the answer must not end the program.
  outgoing.on('error', () => undefined);
  const [answer] = await once(outgoing.end(), 'response').catch(() => []);
  answer?.resume();
  const atMs = Date.parse(answer?.headers.date ?? '');
  return Number.isNaN(atMs) ? undefined : new Date(atMs);
}
