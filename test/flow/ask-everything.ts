// Asks a service what the agent asks of it, and one of each kind besides, or what is named; prints
// how each answer was taken.
import { hasCode, messageOf, TributaryError } from '../../src/errors/codes.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createServiceClient } from '../../src/service/client.ts';

const [baseUrl = '', ...names] = process.argv.slice(2);
const client = createServiceClient({ baseUrl: baseUrl, allowInsecureHttp: false, random: () => 0 });
const options = { token: new Secret('a.token.here'), signal: new AbortController().signal };
const askings = {
  authClient: () => client.call('authClient', {}, options),
  codeLogin: () => client.call('codeLogin', { authCode: 'code' }, options),
  clients: () => client.call('clients', undefined, options),
  ownClient: () => client.call('clients', undefined, { ...options, keep: () => false }),
  providers: () => client.call('providers', undefined, options),
  providerLastN: () => client.call('providerLastN', { clientId: 'c', lastN: 24 }, options),
  setProvide: () => client.call('setProvide', { clientId: 'c', provideMode: 1 }, options),
  deviceAssociations: () => client.call('deviceAssociations', undefined, options),
  findLocations: () => client.call('findLocations', { query: 'x' }, options),
  reliability: () => client.call('reliability', undefined, options),
  stream: async () => {
    for await (const _ of client.stream('clients', undefined, options));
  },
};
void askAll();

async function askAll(): Promise<void> {
  for (const [name, ask] of Object.entries(askings)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const outcome = await ask().then(
      () => 'taken',
      (error: unknown) => {
        // Nobody answered: then nothing is measured either.
        if (hasCode(error, 'service-unreachable') && error.maybeSent !== true) process.exitCode = 1;
        return error instanceof TributaryError ? error.code : messageOf(error);
      },
    );
    process.stdout.write(`${name}: ${outcome}\n`);
  }
  await client.close();
}
