import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyNetworkJwtState } from '../../../src/identity/registration-files.ts';
import { type ProfileName, profileNames } from '../../../src/service/profiles.ts';
import { claimsOf } from '../reference-caller.ts';
import { createCommandWorld, expectGolden, indent } from './command-world.ts';
import { createTypist } from './typist.ts';

const upgrade = ['account', 'upgrade', '--user-auth', 'ada@example.org', '--name', 'Ada'];
const setPassword = ['account', 'set-password'];

/** A guest who is signed in on a device of their own. */
async function createGuest(profile: ProfileName = 'documented') {
  const world = await createCommandWorld(profile);
  const { guestJwt } = await world.service.admin.createGuest({});
  const guest = await world.addOwner(guestJwt);
  const write = (name: string, text: string) => {
    const path = join(guest.stateDirectory, name);
    writeFileSync(path, text);
    return path;
  };
  const readName = async (owner = guest) =>
    claimsOf((await owner.store.peek())?.token?.reveal() ?? '').network_name;
  return { ...world, guest, guestJwt, write, readName };
}

describe('tributary account upgrade', () => {
  test('makes the guest permanent and signs in', async () => {
    const { guest, readName } = await createGuest();
    const prompt = createTypist('yes', 'in the dark', 'in the dark');
    const before = await guest.register('attic');
    const { stdout, stderr, exitCode } = await guest.run(upgrade, { prompt });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    await expectGolden('account-upgrade.txt', stdout);
    expect(prompt.asked).toEqual([
      'Turn this guest into the permanent network Ada, owned by ada@example.org?',
      'New password',
      'New password, once more',
    ]);
    expect(await readName()).toBe('Ada');
    expect((await guest.run(['device', 'list', '--json'])).stdout).toContain(before);
  });

  test('asks for nothing and says another way where the service cannot do it', async () => {
    const { guest } = await createGuest('production');
    const prompt = createTypist('no');
    const { exitCode, stderr } = await guest.run(upgrade, { prompt });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 69,
      stderr: expect.stringMatching(
        /do not have this operation\n +> Make the network permanent in /,
      ),
    });
    expect(prompt.asked).toEqual([]);
  });

  test('gives scripts what came of it, and shows no secret', async () => {
    const { guest, guestJwt, readName } = await createGuest();
    const run = await guest.run([...upgrade, '--yes', '--json'], {
      standardInput: 'in the dark\n',
    });
    await expectGolden('account-upgrade.json', indent(run.stdout));
    expect(await readName()).toBe('Ada');
    for (const secret of ['in the dark', 'eyJ', guestJwt])
      expect(run.stdout + run.stderr).not.toContain(secret);
  });

  test("takes a third party's token in the place of a password", async () => {
    const { guest, guestJwt, write } = await createGuest();
    // Any JWT will do there.
    const options = [
      '--auth-jwt-file',
      write('google.jwt', guestJwt),
      '--auth-jwt-type',
      'google',
      '--yes',
      '--json',
    ];
    const { stdout } = await guest.run([...upgrade, ...options]);
    expect(JSON.parse(stdout)).toMatchObject({
      upgraded: true,
      verificationRequired: null,
      signedIn: true,
    });
  });

  test('leaves another sign-in alone, and writes the token for its owner only', async () => {
    const { run, store, token, write, guestJwt, readName, addOwner } = await createGuest();
    const out = join(write('guest.jwt', `${guestJwt}\n`), '..', 'ada.jwt');
    const options = ['--guest-jwt-file', join(out, '..', 'guest.jwt'), '--yes'];
    const refused = await run([...upgrade, ...options], { standardInput: 'in the dark' });
    expect(refused).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('--jwt-out') });
    const { stdout } = await run([...upgrade, ...options, '--jwt-out', out], {
      standardInput: 'in the dark',
    });
    expect(stdout).toBe(
      'The network Ada is now permanent.\n' +
        `Its network JWT is in ${out}.\n` +
        'Verify ada@example.org: the service sent instructions there.\n',
    );
    expect((await store.peek())?.token?.reveal()).toBe(token);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(await readName(await addOwner(readFileSync(out, 'utf8').trim()))).toBe('Ada');
  });

  test('signs a device in that nobody was signed in to', async () => {
    const { guest, guestJwt, write, readName } = await createGuest();
    const options = ['--guest-jwt-file', write('guest.jwt', guestJwt), '--yes', '--json'];
    await guest.store.write(emptyNetworkJwtState);
    const { stdout } = await guest.run([...upgrade, ...options], { standardInput: 'in the dark' });
    expect(JSON.parse(stdout)).toMatchObject({ signedIn: true, jwtFile: null });
    expect(await readName()).toBe('Ada');
  });

  test.each<[string, (directory: string) => string, number, string]>([
    [
      'is there already',
      (directory) => join(directory, 'network-jwt.json'),
      64,
      'it already exists',
    ],
    ['cannot be made', (directory) => join(directory, 'nowhere', 'ada.jwt'), 75, 'writing'],
  ])(
    'finds out that the file for the token %s before anything is sent',
    async (_, choosePath, exitCode, message) => {
      const { guest, guestJwt } = await createGuest();
      const options = ['--jwt-out', choosePath(guest.stateDirectory), '--yes'];
      const run = await guest.run([...upgrade, ...options], { standardInput: 'in the dark' });
      expect(run).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
      expect((await guest.store.peek())?.token?.reveal()).toBe(guestJwt);
      // Still a guest: a permanent network could not be upgraded.
      expect(
        await guest.run([...upgrade, '--yes'], { standardInput: 'in the dark' }),
      ).toMatchObject({
        exitCode: 0,
      });
    },
  );

  test('leaves nothing behind where the service refuses', async () => {
    const { guest, guestJwt } = await createGuest();
    const out = join(guest.stateDirectory, 'ada.jwt');
    const run = await guest.run([...upgrade, '--jwt-out', out, '--yes'], {
      standardInput: 'short',
    });
    expect(run).toMatchObject({
      exitCode: 65,
      stderr: expect.stringContaining('the service refused'),
    });
    expect(existsSync(out)).toBe(false);
    expect((await guest.store.peek())?.token?.reveal()).toBe(guestJwt);
  });

  test('stops after a no, and where the two passwords differ', async () => {
    const { guest, guestJwt } = await createGuest();
    const no = createTypist('no', 'in the dark', 'in the dark');
    expect(await guest.run(upgrade, { prompt: no })).toMatchObject({ exitCode: 64 });
    expect(no.asked).toHaveLength(1);
    const clumsy = createTypist('yes', 'in the dark', 'in the drak');
    const { exitCode, stderr } = await guest.run(upgrade, { prompt: clumsy });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining('the two differ'),
    });
    expect((await guest.store.peek())?.token?.reveal()).toBe(guestJwt);
  });

  test.each<[readonly string[], string]>([
    [['--name', 'Ada'], '--user-auth is missing'],
    [['--user-auth', 'ada@example.org'], '--name is missing'],
    [
      [...upgrade.slice(2), '--auth-jwt-type', 'google'],
      '--auth-jwt-file and --auth-jwt-type go together',
    ],
    [
      [...upgrade.slice(2), '--auth-jwt-file', 'jwt'],
      '--auth-jwt-file and --auth-jwt-type go together',
    ],
    [
      [...upgrade.slice(2), '--auth-jwt-file', 'jwt', '--auth-jwt-type', 'acme'],
      'one of google, apple, un',
    ],
    [
      [
        ...upgrade.slice(2),
        '--auth-jwt-file',
        'jwt',
        '--auth-jwt-type',
        'un',
        '--password-file',
        'file',
      ],
      'give one of --password-file, --auth-jwt-file and --wallet-auth-file',
    ],
    [
      [...upgrade.slice(2), '--guest-jwt-file', '-', '--password-file', '-'],
      'standard input holds one of them alone',
    ],
  ])('refuses %j before anything is read or sent', async (options, message) => {
    const { guest } = await createGuest();
    const { exitCode, stderr } = await guest.run(['account', 'upgrade', ...options], {
      standardInput: 'x',
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining(message),
    });
  });

  test('is not for a network that is permanent already', async () => {
    const { run } = await createCommandWorld();
    const refused = await run([...upgrade, '--yes'], { standardInput: 'in the dark' });
    expect(refused).toMatchObject({
      exitCode: 65,
      stderr: expect.stringContaining('the service refused'),
    });
  });
});

describe('tributary account set-password', () => {
  test.each(profileNames)(
    'asks for the reset code, and twice for the password, in %s',
    async (profile) => {
      const { run, service } = await createCommandWorld(profile);
      const { resetCode } = await service.admin.createResetCode({});
      const prompt = createTypist('no', ` ${resetCode} `, 'in the dark', 'in the dark');
      const { exitCode, stdout, stderr } = await run(setPassword, { prompt });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      await expectGolden('account-set-password.txt', stdout);
      expect(prompt.asked).toEqual(['Reset code', 'New password', 'New password, once more']);
      const again = await run(setPassword, {
        prompt: createTypist('no', resetCode, 'in the light', 'in the light'),
      });
      expect(again).toMatchObject({
        exitCode: 65,
        stderr: expect.stringContaining('the service refused'),
      });
      expect(again.stderr).not.toMatch(/in the light/);
      expect(again.stderr).not.toContain(resetCode);
    },
  );

  test('reads one from a file and the other from standard input, signed in or not', async () => {
    const { run, service, store, stateDirectory } = await createCommandWorld();
    const { resetCode } = await service.admin.createResetCode({});
    const codeFile = join(stateDirectory, 'code');
    writeFileSync(codeFile, `${resetCode}\n`);
    await store.write(emptyNetworkJwtState);
    const options = ['--reset-code-file', codeFile, '--password-file', '-', '--json'];
    const { stdout } = await run([...setPassword, ...options], { standardInput: 'in the dark\n' });
    await expectGolden('account-set-password.json', indent(stdout));
  });

  test('wants no two secrets from standard input', async () => {
    const { run } = await createCommandWorld();
    const { exitCode, stderr } = await run(setPassword, { standardInput: 'a code' });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining('holds one of them alone'),
    });
  });
});
