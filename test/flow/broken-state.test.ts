import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadDevice, startNewDevice } from '../../src/identity/load.ts';
import { ensureRegistration } from '../../src/identity/registration.ts';
import {
  createRegistrationFiles,
  emptyNetworkJwtState,
} from '../../src/identity/registration-files.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { createCommandWorld } from './commands/command-world.ts';

const broken = '{"version":1,"sha256":"x","data":{}}';
const desired = { description: 'attic', spec: 'pi', wantsTunnel: true, proxy: {} };

/**
 * A device that is registered with the reference service; each `agent` is a process of its own on
 * the same disk.
 */
async function createRegistered() {
  const world = await createCommandWorld();
  const client = createServiceClient({ baseUrl: world.service.baseUrl, allowInsecureHttp: false });
  onTestFinished(() => client.close());
  const agent = {
    load: () => loadDevice(createRegistrationFiles(world.stateDirectory, () => undefined)),
    ensure: (description = desired.description) =>
      ensureRegistration(
        {
          client,
          files: createRegistrationFiles(world.stateDirectory, () => undefined),
          token: new Secret(world.token),
          desired: { ...desired, description },
          settleMs: 20,
        },
        new AbortController().signal,
      ),
  };
  const path = (name: string) => join(world.stateDirectory, `${name}.json`);
  const breakFiles = (...names: readonly string[]) => {
    for (const name of names) writeFileSync(path(name), broken);
  };
  const listState = () => readdirSync(world.stateDirectory).sort();
  const countClients = async () => (await world.get('/network/clients')).clients.length;
  return { ...world, agent, breakFiles, listState, countClients, path };
}

/**
 * Every command that looks at the disk to know which client this device is, or who its owner is.
 */
const readingCommands: readonly (readonly string[])[] = [
  ['device', 'list'],
  ['device', 'list', '--json'],
  ['device', 'provide', 'attic', 'public'],
  ['device', 'share', 'this'],
  ['stats'],
  ['stats', '--client', 'this'],
  ['stats', '--local'],
  ['service', 'leaderboard'],
  ['account', 'wallets'],
];

test.each(readingCommands.map((argv) => [argv.join(' '), argv] as const))(
  '`%s` leaves broken state where it is, and the agent registers no second client after it',
  async (_, argv) => {
    const { agent, breakFiles, listState, countClients, run, path } = await createRegistered();
    const { clientId, installId } = await agent.ensure();
    breakFiles('identity', 'registration');
    const before = listState();
    await run(argv);
    expect(listState()).toEqual(before);
    expect(readFileSync(path('identity'), 'utf8')).toBe(broken);
    const { identity } = await agent.load();
    expect(identity.isUncertain || identity.installId === installId).toBe(true);
    expect(await agent.ensure()).toMatchObject({ clientId });
    expect(await countClients()).toBe(1);
  },
);

test('a command says on stderr which document is broken', async () => {
  const { agent, breakFiles, run, path } = await createRegistered();
  await agent.ensure();
  breakFiles('identity', 'registration');
  const { exitCode, stdout, stderr } = await run(['device', 'list']);
  expect([exitCode, stdout.includes('attic')]).toEqual([0, true]);
  for (const name of ['identity', 'registration']) {
    expect(stderr).toContain(`reading ${path(name)}: its checksum does not fit its content`);
  }
});

test('a broken sign-in is said and left where it is: the command knows no token', async () => {
  const { breakFiles, listState, run, path } = await createRegistered();
  breakFiles('network-jwt');
  const { exitCode, stderr } = await run(['device', 'list']);
  expect(exitCode).toBe(77);
  expect(stderr).toContain(`reading ${path('network-jwt')}: its checksum does not fit its content`);
  expect(listState()).toEqual(['network-jwt.json']);
  const forScript = await run(['device', 'list', '--json']);
  expect(JSON.parse(forScript.stderr)).toMatchObject({ error: { code: 'signed-out' } });
  // A sign-in does set it aside.
  const refused = await run(['login', '--code-file', '-', '--json'], {
    standardInput: 'x'.repeat(32),
  });
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'auth-code-refused' } });
  expect(listState()).toContainEqual(expect.stringMatching(/^network-jwt[.]json[.]broken-/));
});

test.each([
  ['before anything was set aside', 0],
  ['between setting aside and writing a new identity', 3],
])('an agent that was ended %s is uncertain at its next start', async (_, readings) => {
  const { agent, breakFiles, countClients, stateDirectory, token } = await createRegistered();
  await agent.ensure();
  breakFiles('identity', 'registration', 'pending-create');
  const files = createRegistrationFiles(stateDirectory, () => undefined);
  // As an earlier version wrote it, without the installation's id.
  await files.networkJwt.write({ ...emptyNetworkJwtState, token: new Secret(token) });
  const all = [files.identity, files.registration, files.pendingCreate];
  for (const file of all.slice(0, readings)) await file.readOrSetAside();
  // Another description: its client cannot be known again, so nothing may be registered.
  for (let start = 0; start < 3; start += 1) {
    await expect(agent.ensure('barn')).rejects.toMatchObject({ code: 'client-lost' });
    expect((await agent.load()).identity.isUncertain).toBe(true);
  }
  expect(await countClients()).toBe(1);
});

test('a device whose every document is broken is known again from its sign-in, whatever it is called', async () => {
  const { agent, breakFiles, countClients } = await createRegistered();
  const { clientId, installId } = await agent.ensure();
  breakFiles('identity', 'registration', 'pending-create');
  expect(await agent.ensure('barn')).toMatchObject({ clientId, installId });
  expect((await agent.load()).identity).toMatchObject({ clientId, isUncertain: false });
  expect(await countClients()).toBe(1);
});

test('documents that were set aside long ago make no healthy device uncertain', async () => {
  const { agent, countClients, path, stateDirectory } = await createRegistered();
  for (const name of ['identity', 'registration'])
    writeFileSync(`${path(name)}.broken-2025-01-01T00-00-00-000Z`, broken);
  // What `login --new-device` leaves: the owner's word ends the uncertainty.
  await expect(agent.ensure()).rejects.toMatchObject({ code: 'client-lost' });
  await startNewDevice(createRegistrationFiles(stateDirectory, () => undefined));
  const { clientId } = await agent.ensure();
  for (let start = 0; start < 2; start += 1) {
    expect((await agent.load()).identity).toMatchObject({ clientId, isUncertain: false });
    expect(await agent.ensure()).toMatchObject({ clientId });
  }
  expect(await countClients()).toBe(1);
});

test('a client that was recovered ends the uncertainty, also with what was set aside still there', async () => {
  const { agent, breakFiles, countClients, listState } = await createRegistered();
  const { clientId, installId } = await agent.ensure();
  breakFiles('identity', 'registration', 'pending-create');
  expect(await agent.ensure()).toMatchObject({ clientId, installId });
  expect(listState().filter((name) => name.includes('.broken-'))).toHaveLength(3);
  for (let start = 0; start < 2; start += 1) {
    expect((await agent.load()).identity).toEqual({ clientId, installId, isUncertain: false });
  }
  expect(await countClients()).toBe(1);
});
