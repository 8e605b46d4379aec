import { once } from 'node:events';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { LoadedConfig } from '../config/load.ts';
import { TributaryError } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import { createServiceClient } from '../service/client.ts';
import { type OperationName, operations } from '../service/operations.ts';
import { createTransport } from '../service/transport.ts';
import { joinOperationPath, parseServiceUrl, type ServiceAddress } from '../service/url.ts';

const limits = { connectMs: 4000, headersMs: 6000, bodyMs: 4000 };
const bodyLimitBytes = 256 * 1024;
const dateMs = 5000;

interface AskServiceParts {
  readonly configuration: () => Promise<LoadedConfig>;
  readonly resolve: (name: string) => Promise<string | undefined>;
  readonly findToken: () => Promise<Secret | undefined>;
}

/** The service as the checks see it: two requests without a token, one with it; none changes anything. */
export function askService({ configuration, resolve, findToken }: AskServiceParts) {
  // A program looks the name up first, because it can be killed; a lookup in this process would delay its exit.
  const findBase = async () => {
    const base = parseServiceUrl((await configuration()).service);
    if ((await resolve(base.hostname.replace(/^\[(.*)\]$/, '$1'))) !== undefined) return base;
    throw new TributaryError('service-unreachable', `${base.hostname} has no address`);
  };
  return {
    /** The Date of an answer from the service's address, whatever its certificate; undefined without an answer. */
    serviceDate: async () => readDate(await findBase()),
    /** The service's answer to a request without a token, not judged yet. @throws service-unreachable and the like */
    async knock() {
      await findBase();
      return knock((await configuration()).service, 'clients');
    },
    /** The network's clients, asked with the token. @throws codes of `ServiceClient.call`; signed-out without a token */
    async clients() {
      const token = await findToken();
      if (token === undefined) throw new TributaryError('signed-out', 'there is no token to ask with');
      await findBase();
      const { service } = await configuration();
      await using client = createServiceClient({ ...service, fetchLimits: { ...limits, callMs: 8000 } });
      return (await client.call('clients', undefined, { token, signal: new AbortController().signal })).clients;
    },
  };
}

/** The answer to a request without a token, and for POST without a field. @throws insecure-url, service-unreachable and the like */
export async function knock(service: ServiceAddress, name: OperationName) {
  const { method, path } = operations[name];
  const base = parseServiceUrl(service);
  await using transport = createTransport(base.origin, limits, service.certificateAuthority);
  const body = method === 'POST' ? '{}' : undefined;
  const headers = { 'content-type': 'application/json' };
  const exchange = { method, path: joinOperationPath(base, path), headers, body, bodyLimitBytes };
  return await transport.exchange(exchange, new AbortController().signal);
}

/** A certificate that is not valid now is what a wrong clock looks like: nothing but the date is believed here. */
async function readDate(base: URL): Promise<Date | undefined> {
  const request = base.protocol === 'https:' ? requestTls : requestPlain;
  const options = { method: 'HEAD', timeout: dateMs, rejectUnauthorized: false, agent: false };
  const outgoing = request(base, options).once('timeout', () => outgoing.destroy());
  // Also of an error that comes behind the answer.
  outgoing.on('error', () => undefined);
  const [answer] = await once(outgoing.end(), 'response').catch(() => []);
  answer?.resume();
  const atMs = Date.parse(answer?.headers.date ?? '');
  return Number.isNaN(atMs) ? undefined : new Date(atMs);
}
