import { expect, test } from 'vitest';
import { createSections } from '../../../../src/agent/create-sections.ts';
import { createOutsideLoop } from '../../../../src/agent/pass/outside-loop.ts';
import { createWakeups } from '../../../../src/agent/run-loop.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { startResponder } from '../../system/fake-router.ts';

const { signal } = new AbortController();

/**
 * A router that tells these addresses one after the other; undefined: it is silent. The loop that
 * asks it.
 */
async function createWorld(
  told: readonly (string | undefined)[],
  ways: object = {},
  denied: readonly string[] = [],
) {
  let asked = 0;
  const router = await startResponder(5351, () => {
    const address = told[Math.min(asked, told.length - 1)];
    if (address === undefined) return undefined;
    asked += 1;
    return Buffer.from([0, 128, 0, 0, 0, 0, 0, 1, ...address.split('.').map(Number)]);
  });
  const config = configSchema.parse({
    service: { base_url: 'https://service.example' },
    gateway: { public_address: ways, deny_destinations: denied },
  });
  const sections = createSections(config, new Date());
  const observed = { router: router.address };
  Object.assign(sections.path, { observed });
  Object.assign(sections.service, { registration: {} });
  const wakeups = createWakeups();
  let passes = 0;
  wakeups.dataPath.notify = () => {
    passes += 1;
  };
  // The loop reads these sections alone.
  const state = sections as Parameters<typeof createOutsideLoop>[0]['state'];
  const { tick } = createOutsideLoop({
    state,
    outside: sections.outside,
    wakeups,
    now: () => new Date(),
  });
  return {
    router,
    outside: sections.outside,
    service: sections.service,
    observed,
    tick: () => tick(signal),
    passes: () => passes,
  };
}

test('the address that the router tells is learnt once, and asked for each minute', async () => {
  const world = await createWorld(['45.83.100.7', '45.83.100.7', '45.83.100.8']);
  expect([await world.tick(), await world.tick()]).toEqual([60_000, 60_000]);
  expect([world.outside, world.passes()]).toEqual([
    { addresses: ['45.83.100.7'], problem: undefined },
    1,
  ]);
  await world.tick();
  expect([world.outside.addresses, world.passes()]).toEqual([['45.83.100.8'], 2]);
});

test('before the device is registered, the router’s answer causes no pass', async () => {
  const world = await createWorld(['45.83.100.7', '45.83.100.8']);
  world.service.registration = undefined;
  await world.tick();
  expect([world.outside.addresses, world.passes()]).toEqual([['45.83.100.7'], 0]);
});

test.each(['192.168.1.2', '10.0.0.1', '0.0.0.0', '127.0.0.1', '224.0.0.1', '255.255.255.255'])(
  'an answer of %s says that the address is not known',
  async (address) => {
    const world = await createWorld([address]);
    await world.tick();
    expect(world.outside.addresses).toBeUndefined();
    expect(world.outside.problem).toMatchObject({
      code: 'outside-unknown',
      message: expect.stringContaining(`says ${address}, so it is behind another router`),
    });
    expect(world.passes()).toBe(0);
  },
);

test('a shared address of the provider is known, and nothing more to learn', async () => {
  const world = await createWorld(['100.64.3.4']);
  await world.tick();
  expect(world.outside).toEqual({ addresses: ['100.64.3.4'], problem: undefined });
});

test('a router that falls silent is asked ever less often, and what it told stays', async () => {
  const world = await createWorld(['45.83.100.7', undefined]);
  await world.tick();
  expect([await world.tick(), await world.tick()]).toEqual([60_000, 120_000]);
  expect(world.outside.addresses).toEqual(['45.83.100.7']);
  expect(world.outside.problem?.message).toContain(
    `: your router (${world.router.address}) does not tell it.`,
  );
});

test.each([
  ['it has another router', ['192.168.1.2'], {}],
  ['nobody may ask it', ['45.83.100.7'], { ask_router: false }],
] as const)(
  'where the router does not tell, because %s, the owner’s word for the address is used, and ends the note',
  async (_, told, ways) => {
    const silent = await createWorld(told, ways, ['45.83.100.9']);
    await silent.tick();
    // An address that is denied may be any.
    expect(silent.outside.problem?.code).toBe('outside-unknown');
    const named = await createWorld(told, { ...ways, fixed: '45.83.100.9' });
    await named.tick();
    expect([named.outside, named.passes()]).toEqual([
      { addresses: ['45.83.100.9'], problem: undefined },
      1,
    ]);
  },
);

test('what the router tells and the owner’s word are both refused', async () => {
  const world = await createWorld(['45.83.100.7'], { fixed: '45.83.100.9' });
  await world.tick();
  expect(world.outside.addresses).toEqual(['45.83.100.7', '45.83.100.9']);
});

test('what the router told stays refused beside the owner’s word, also once the router is silent', async () => {
  const world = await createWorld(['45.83.100.7', undefined], { fixed: '45.83.100.9' });
  await world.tick();
  await world.tick();
  expect([world.outside, world.passes()]).toEqual([
    { addresses: ['45.83.100.7', '45.83.100.9'], problem: undefined },
    1,
  ]);
});

test('the wire between the namespace and the host is not called a router', async () => {
  const world = await createWorld([undefined], { upnp: false });
  Object.assign(world.observed, { router: '198.18.213.1' });
  await world.tick();
  expect(world.outside.problem?.message).toContain(': your router does not tell it.');
});

test('nobody is asked where the owner says so, or where there is no router', async () => {
  const told = await createWorld(['45.83.100.7'], { ask_router: false });
  await told.tick();
  const alone = await createWorld(['45.83.100.7']);
  Object.assign(alone.observed, { router: undefined });
  await alone.tick();
  expect([told.router.asked, alone.router.asked, alone.outside.problem]).toEqual([
    [],
    [],
    undefined,
  ]);
});
