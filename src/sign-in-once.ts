import type { LoadedConfig } from './config/load.ts';
import { createNetworkJwtStore } from './identity/network-jwt-store.ts';
import { signIn } from './identity/sign-in.ts';
import type { Secret } from './lib/secret.ts';
import { createServiceClient } from './service/client.ts';
import { ensureDirectory } from './system/files.ts';

/** Exchanges the code and stores what it buys. @throws auth-code-refused, state-unwritable, codes of `call` */
export async function signInOnce(loaded: LoadedConfig, authCode: Secret): Promise<void> {
  await ensureDirectory(loaded.stateDirectory);
  const store = createNetworkJwtStore(loaded.stateDirectory, (path, keptAs, why) => {
    process.stderr.write(`tributary: ${path} was set aside as ${keptAs}: ${why}\n`);
  });
  const client = createServiceClient({
    baseUrl: loaded.config.service.base_url,
    allowInsecureHttp: loaded.config.service.allow_insecure_http,
  });
  try {
    await signIn({ client, store }, authCode, new AbortController().signal);
  } finally {
    await client.close();
  }
}
