import { randomBytes, randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import {
  completeSecrets,
  type ProvideWish,
  type Secrets,
  toProvideKeys,
} from '../../../src/connect/contract/secrets.ts';
import {
  type ControlClient,
  createControlClient,
} from '../../../src/connect/control/control-client.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import type { Engine } from '../../../src/connect/provider/engine-contract.ts';
import { runProvider } from '../../../src/connect/provider/run-provider.ts';
import {
  type IdentityData,
  loadIdentity,
  toPublication,
} from '../../../src/connect/sealed/identity.ts';
import { createSealedPart } from '../../../src/connect/sealed/sealed-part.ts';
import type { SocketEnd } from '../../../src/connect/socket/web-socket.ts';
import type { PacketDevice } from '../../../src/connect/tun/tun-device.ts';
import { createIdSource, fromUuid } from '../../../src/connect/wire/id.ts';
import { createPostControl } from '../../../src/reference-service/consumer/post-control.ts';
import {
  type ReferenceService,
  type ReferenceServiceOptions,
  startReferenceService,
} from '../../../src/reference-service/server.ts';
import { createEchoDevice } from '../../connect/support/socket-consumer.ts';
import { testPool } from '../../connect/support/test-pool.ts';
import { makeDirectory } from '../../flow/reference-caller.ts';

/** A device of the first network, as it is registered. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly token: string;
  readonly control: ControlClient;
}

export interface ProviderWorld {
  readonly service: ReferenceService;
  readonly directory: string;
  /** Registers one more device of the first network, or of the network whose token is given. */
  register(networkJwt?: string): Promise<RegisteredClient>;
  /**
   * Starts it as a provider on this device, or on one that gives every packet back, until the test
   * is over.
   */
  provide(
    client: RegisteredClient,
    device?: PacketDevice,
    how?: {
      readonly identity?: IdentityData;
      readonly secrets?: Secrets;
      readonly wish?: ProvideWish;
      /** By default it comes back at once. */
      readonly random?: () => number;
    },
  ): Promise<RunningProvider>;
}

interface RunningProvider {
  readonly engine: Engine;
  /** How its sockets ended until now, in order. */
  readonly ends: readonly SocketEnd[];
  /** Ends it, with its last reports. */
  stop(): Promise<void>;
}

const now = (): number => Math.floor(performance.timeOrigin + performance.now());

/** A reference service, to which providers of `src/connect` can be added. */
export async function startProviderWorld(
  options: Partial<ReferenceServiceOptions> = {},
): Promise<ProviderWorld> {
  const directory = options.directory ?? makeDirectory();
  const service = await startReferenceService({ directory, ...options });
  onTestFinished(() => service.close());
  const post = async (path: string, token: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const { authCode } = await service.admin.createAuthCode({ uses: 1000 });

  return {
    service,
    directory,
    async register(networkJwt) {
      const signedIn = await post('/auth/code-login', '', { auth_code: authCode });
      const registered = await post('/network/auth-client', networkJwt ?? signedIn.by_jwt ?? '', {
        description: 'device',
        device_spec: 'test',
      });
      const token = registered.by_client_jwt ?? '';
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      const { baseUrl: serviceUrl } = service;
      const control = createControlClient(
        createPostControl({ serviceUrl, token, onClockRate: () => undefined }),
      );
      return { clientId: claims.client_id, token, control };
    },
    async provide({ clientId, token, control }, device = createEchoDevice(), how = {}) {
      const stop = new AbortController();
      const ids = createIdSource({ randomBytes });
      const { secrets = completeSecrets(randomBytes), wish = 'public', random = () => 0 } = how;
      await control.provide(toProvideKeys(secrets, wish), stop.signal);
      if (how.identity !== undefined)
        await control.publishIdentity(toPublication(loadIdentity(how.identity)), stop.signal);
      const ownId = fromUuid(clientId);
      const engine = createEngine({
        ownId,
        secrets,
        wish,
        ids,
        wallMs: Date.now,
        pool: testPool,
        sealedPart:
          how.identity === undefined ? undefined : createSealedPart(how.identity, randomBytes),
      });
      const ends: SocketEnd[] = [];
      const running = runProvider(
        {
          onLine({ end: one }) {
            if (one !== undefined) ends.push(one);
          },
          ownId,
          engine,
          urls: [service.baseUrl.replace(/^http/, 'ws')],
          control,
          device,
          token: () => token,
          instanceId: randomUUID(),
          appVersion: '0.0.1',
          now,
          random,
          keep: async () => undefined,
          onTokenSuspect: () => undefined,
        },
        stop.signal,
      );
      const end = (): Promise<void> => {
        stop.abort();
        return running;
      };
      onTestFinished(end);
      return { engine, ends, stop: end };
    },
  };
}
