import { describe, expect, test } from 'vitest';
import { createRegistrationFiles } from '../../../src/identity/registration-files.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { waitUntil } from '../../patience.ts';
import { claimsOf, createOwner as createNetwork } from '../reference-caller.ts';
import { createCommandWorld, expectGolden, indent, maskChance } from './command-world.ts';
import { createTypist } from './typist.ts';

/** A network with a shed that it shares with its aunt, and the code. */
async function createSharer(profile: 'documented' | 'production' = 'documented') {
  const world = await createCommandWorld(profile);
  await world.register('shed');
  const { stdout } = await world.run(['device', 'share', 'shed', '--json']);
  const { shareCode } = JSON.parse(stdout);
  const aunt = await world.addOwner(await createNetwork(world.service, 'aunt'));
  return { ...world, code: String(shareCode), aunt };
}

describe('tributary device rename', () => {
  test('gives a device another name', async () => {
    const { run } = await createSharer();
    const { stdout } = await run(['device', 'rename', 'shed', 'under the roof', '--json']);
    await expectGolden('device-rename.json', maskChance(indent(stdout)));
    expect((await run(['device', 'list'])).stdout).toContain('under the roof');
  });
});

test('what is said below a list is about the rows that were chosen', async () => {
  const { run, register } = await createSharer();
  await register('attic');
  const { stdout } = await run(['device', 'list', '--filter', 'attic']);
  expect(stdout).toContain('\n1 device, ');
  expect((await run(['device', 'list'])).stdout).toContain('\n2 devices, ');
});

describe('tributary device confirm', () => {
  test('names the network that added the device, and asks', async () => {
    const { run, code, aunt, get } = await createSharer('production');
    expect((await run(['device', 'confirm', code, '--yes'])).stderr).toContain(
      'no network has added',
    );
    await aunt.run(['device', 'add', code, '--yes']);
    const prompt = createTypist('yes');
    const { exitCode } = await run(['device', 'confirm', code], { prompt });
    expect([exitCode, prompt.asked]).toEqual([0, ['Share shed with the network aunt?']]);
    expect((await get('/device/associations')).outgoing_shared_devices[0].pending).toBe(false);
    const again = await run(['device', 'confirm', code, '--yes', '--json']);
    await expectGolden('device-confirm.json', maskChance(indent(again.stdout), [code]));
  });
});

describe('tributary device unshare', () => {
  test('ends a share, also the one that another network began', async () => {
    const { run, code, aunt } = await createSharer();
    await aunt.run(['device', 'add', code, '--yes']);
    const prompt = createTypist('yes');
    const { stdout } = await aunt.run(['device', 'unshare', code, '--json'], { prompt });
    expect(prompt.asked).toEqual(['End the share of shed with sandbox?']);
    await expectGolden('device-unshare.json', maskChance(indent(stdout), [code]));
    expect((await aunt.get('/network/clients')).clients).toEqual([]);
    const gone = await run(['device', 'unshare', code, '--yes']);
    expect([gone.exitCode, gone.stderr]).toEqual([
      64,
      expect.stringContaining(`no share or adoption has the code ${code}`),
    ]);
  });
});

describe('tributary device pair', () => {
  /** A device that is not signed in and shows a code, and the network that takes it. */
  async function createNewcomer() {
    const world = await createCommandWorld();
    const device = await world.addOwner('none');
    const files = createRegistrationFiles(device.stateDirectory, () => undefined);
    const readCode = () =>
      waitUntil(() => {
        using database = openDatabase(world.dataDirectory);
        const row = database.prepare('select code from pairing').get();
        return String((row as { code: string }).code);
      });
    return { ...world, device, files, readCode };
  }

  test('makes the device a client of the network that takes its code', async () => {
    const { run, device, files, readCode, get } = await createNewcomer();
    const pairing = device.run(['device', 'pair', '--name', 'new shed', '--yes', '--json']);
    const code = await readCode();
    await run(['device', 'add', code, '--yes']);
    const { stdout, stderr, exitCode } = await pairing;
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(`tributary device add ${code}`),
    ]);
    await expectGolden('device-pair.json', maskChance(indent(stdout), [code]));
    const [client] = (await get('/network/clients')).clients;
    const identity = await files.identity.peek();
    expect(identity?.clientId).toBe(client.client_id);
    expect(client.device_spec).toContain(identity?.installId);
    const kept = await files.networkJwt.peek();
    expect([kept?.holder, claimsOf(kept?.token?.reveal() ?? '').client_id]).toEqual([
      'device',
      client.client_id,
    ]);
    const again = await device.run(['device', 'pair', '--yes']);
    expect([again.exitCode, again.stderr]).toEqual([
      64,
      expect.stringContaining('this device is registered already'),
    ]);
  });

  test('gives the device to no network that its owner does not know', async () => {
    const { run, device, files, readCode, get } = await createNewcomer();
    const prompt = createTypist('no');
    const pairing = device.run(['device', 'pair'], { prompt });
    await run(['device', 'add', await readCode(), '--yes']);
    expect((await pairing).exitCode).toBe(64);
    expect(prompt.asked).toEqual(['Is sandbox your network?']);
    expect((await files.identity.peek())?.clientId).toBeUndefined();
    expect((await get('/network/clients')).clients).toEqual([]);
  });

  test('asks nothing of the service where nobody could answer', async () => {
    const { device } = await createNewcomer();
    const { exitCode, stderr } = await device.run(['device', 'pair']);
    expect([exitCode, stderr]).toEqual([64, expect.stringContaining('pass --yes')]);
  });
});
