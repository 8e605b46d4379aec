import { expect, onTestFinished } from 'vitest';
import { seedWorld } from '../../../src/reference-service/seed.ts';
import type {
  ReferenceService,
  ReferenceServiceOptions,
} from '../../../src/reference-service/server.ts';
import { makeDirectory, start } from '../reference-caller.ts';
import { createIndependentClient, type IndependentClient } from './independent-client.ts';

/** A service, its administration, and a caller who knows the document alone. */
export interface World {
  readonly client: IndependentClient;
  readonly service: ReferenceService;
  /** Lets this much time pass on the service's clock. */
  pass(durationMs: number): void;
}

/** A network's owner, signed in. */
export interface Owner {
  readonly token: string;
  readonly networkId: string;
  readonly networkName: string;
}

/** When every world begins: well within its hour and its day. */
const startMs = Date.UTC(2026, 5, 15, 13, 37);

/** Days that the past of a seeded world goes back. */
export const pastDays = 5;

/** A minute in milliseconds. */
export const minuteMs = 60_000;
/** An hour in milliseconds. */
export const hourMs = 60 * minuteMs;
/** A day in milliseconds. */
export const dayMs = 24 * hourMs;

/** Operations that a production service does not have. */
export const missing = [
  'POST /device/set-provide',
  'POST /network/find-locations',
  'POST /network/find-providers',
  'POST /network/create-provider-spec',
  'POST /auth/upgrade-guest',
] as const;

/** A world that ends with the test, which fails where an answer was not as documented. */
export async function openWorld(options: Partial<ReferenceServiceOptions> = {}): Promise<World> {
  const clock = { nowMs: startMs };
  const service = await start({ now: () => clock.nowMs, ...options });
  const client = createIndependentClient(
    service.baseUrl,
    options.profile === 'production' ? missing : [],
  );
  onTestFinished(() => expect(client.takeProblems()).toEqual([]));
  return {
    client,
    service,
    pass: (durationMs) => {
      clock.nowMs += durationMs;
    },
  };
}

/** A world with a past: `clients` devices over two networks, the first one's owner signed in. */
export async function openSeededWorld(
  clients: number,
  options: Partial<ReferenceServiceOptions> = {},
) {
  const directory = makeDirectory();
  const past = { days: pastDays, networks: 2, seed: 1, nowMs: startMs, onProgress: () => {} };
  await seedWorld({ directory, clients, ...past });
  const world = await openWorld({ directory, ...options });
  return { ...world, world, token: await signIn(world, world.service.authCode) };
}

/** Signs in with a login code. @throws where the service refuses it */
export async function signIn({ client }: World, authCode: string): Promise<string> {
  return given(
    await client.ask('POST /auth/code-login', { body: { auth_code: authCode } }),
    'by_jwt',
  );
}

/** Another network's owner, signed in. */
export async function createOwner(world: World, networkName: string): Promise<Owner> {
  const { networkId, authCode } = await world.service.admin.createNetwork({ networkName });
  return { token: await signIn(world, authCode), networkId, networkName };
}

/**
 * A new device, found as the one that is new among the network's clients: the answer does not say
 * its id.
 */
export async function register(
  { client }: World,
  token: string,
  wish: object = {},
): Promise<string> {
  const known = (await client.ask('GET /network/clients', { token })).clients ?? [];
  const answer = await client.ask('POST /network/auth-client', {
    token,
    body: { description: 'device', ...wish },
  });
  expect(answer.error ?? undefined).toBeUndefined();
  const { clients } = await client.ask('GET /network/clients', { token });
  const before = new Set(known.map((device) => device.client_id));
  const added = (clients ?? []).filter((device) => !before.has(device.client_id));
  expect(added).toHaveLength(1);
  return given(added[0] ?? {}, 'client_id');
}

/** A field that has to be there. @throws where it is absent or null */
export function given<Value extends object, Name extends keyof Value>(
  value: Value,
  name: Name,
): NonNullable<Value[Name]> {
  const field = value[name];
  if (field === undefined || field === null)
    throw new Error(`no ${String(name)} in ${JSON.stringify(value)}`);
  return field;
}

/** What an answer that has to be a failure says. */
export function messageOf(answer: {
  readonly error?: { readonly message?: string | null } | null;
}): string {
  const message = answer.error?.message ?? '';
  expect([answer, message.length > 0]).toEqual([{ error: expect.anything() }, true]);
  return message;
}
