import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCommandWorld, expectGolden, indent, maskChance } from './command-world.ts';
import { createAssociated, createHousehold, shareShed } from './household.ts';
import { createTypist } from './typist.ts';

const list = ['device', 'list'];
const associations = ['device', 'associations'];

describe('tributary device share', () => {
  test('makes a code for others, and says what they do with it', async () => {
    const { run, neighbour } = await createHousehold();
    const shared = await run(['device', 'share', 'shed', '--json']);
    const { shareCode } = JSON.parse(shared.stdout);
    await expectGolden('device-share.json', maskChance(indent(shared.stdout), [shareCode]));
    expect(await neighbour.run(['device', 'add', shareCode, '--yes'])).toMatchObject({
      exitCode: 0,
    });
    const { stdout } = await run(['device', 'share', 'this', '--name', "Ada's attic", '--no-qr'], {
      columns: 80,
    });
    await expectGolden('device-share.txt', maskChance(stdout, [findCode(stdout)]));
  });

  test.each<[string, readonly string[], number | undefined, boolean]>([
    ['at a terminal', [], 80, true],
    ['not in a pipe', [], undefined, false],
    ['in a pipe where it is asked for', ['--qr'], undefined, true],
    ['not where it is not wanted', ['--no-qr'], 80, false],
    ['not where it has no room', [], 20, false],
  ])('shows the code to a camera %s', async (_, options, columns, isShown) => {
    const { run, register } = await createCommandWorld();
    const clientId = await register('shed');
    const { stdout } = await run(['device', 'share', clientId.slice(0, 8), ...options], {
      columns,
    });
    expect(stdout.includes('█')).toBe(isShown);
  });

  test('asks for a name where the device has none', async () => {
    const { run, register } = await createCommandWorld();
    const clientId = await register('');
    const { exitCode, stderr } = await run(['device', 'share', clientId]);
    expect(exitCode).toBe(64);
    expect(stderr).toContain(`client ${clientId} has no name: say one for the others with --name`);
  });
});

describe('tributary device add', () => {
  test('adds a device that another network shares', async () => {
    const { run, neighbour } = await createHousehold();
    const text = await neighbour.run(['device', 'add', await shareShed(run), '--yes']);
    await expectGolden('device-add-share.txt', maskChance(text.stdout));
    const { stdout } = await neighbour.run(list, { columns: 80 });
    const { clients } = await neighbour.get('/network/clients');
    const ids = clients.map((client: { client_id: string }) => client.client_id);
    await expectGolden('device-list-shared.txt', maskChance(stdout, [], ids));
    const others = await createHousehold();
    const code = await shareShed(others.run);
    const json = await others.neighbour.run(['device', 'add', code, '--yes', '--json']);
    await expectGolden('device-add-share.json', maskChance(indent(json.stdout), [code]));
  });

  test('adopts a device that is handed over', async () => {
    const { run, neighbour, service, devices } = await createHousehold();
    const hand = (clientId: string) =>
      service.admin.createAdoptCode({ clientId, durationMinutes: 90 });
    const codes = [(await hand(devices.shed)).adoptCode, (await hand(devices.cellar)).adoptCode];
    const text = await neighbour.run(['device', 'add', ...codes.slice(0, 1), '--yes']);
    await expectGolden('device-add-adopt.txt', maskChance(text.stdout));
    const json = await neighbour.run(['device', 'add', ...codes.slice(1), '--yes', '--json']);
    await expectGolden('device-add-adopt.json', maskChance(indent(json.stdout), codes));
    expect((await run(list)).stdout).not.toMatch(/shed|cellar/);
  });

  test.each(['argument', 'file', 'standard input', 'dash', 'prompt'] as const)(
    'takes the code by %s',
    async (way) => {
      const { run, neighbour, stateDirectory } = await createHousehold();
      const code = await shareShed(run);
      const file = join(stateDirectory, 'code');
      writeFileSync(file, `${code}\n`);
      const piped = { standardInput: `${code}\n` };
      const runs = {
        argument: () => neighbour.run(['device', 'add', '--yes', '--', code]),
        file: () => neighbour.run(['device', 'add', '--yes', '--code-file', file]),
        'standard input': () => neighbour.run(['device', 'add', '--yes'], piped),
        dash: () => neighbour.run(['device', 'add', '--yes', '-'], piped),
        prompt: () => neighbour.run(['device', 'add'], { prompt: createTypist('yes', code) }),
      };
      expect(await runs[way]()).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('Added shed'),
      });
    },
  );

  test('takes a code that begins with a dash as a code', async () => {
    const { run } = await createCommandWorld();
    const { exitCode, stderr } = await run(['device', 'add', '--yes', '--', '-7WQ2M4XZP']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 65,
      stderr: expect.stringContaining('used code'),
    });
  });

  test('asks before, and adds nothing after a no', async () => {
    const { run, neighbour } = await createHousehold();
    const code = await shareShed(run);
    const prompt = createTypist('no');
    expect(await neighbour.run(['device', 'add', code], { prompt })).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('nothing was changed'),
    });
    expect(prompt.asked).toEqual([expect.stringMatching(/handed over moves for good/)]);
    expect(await neighbour.run(['device', 'add', code])).toMatchObject({ exitCode: 64 });
    expect((await neighbour.run(list)).stdout).toMatch(/^No devices yet/);
  });

  test('wants one code', async () => {
    const { run } = await createCommandWorld();
    const { exitCode, stderr } = await run([
      'device',
      'add',
      'K7WQ2M4XZP',
      '--code-file',
      '/nowhere',
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining('not both'),
    });
  });
});

describe('tributary device associations', () => {
  test.each<[string, number | undefined]>([
    ['80', 80],
    ['50', 50],
  ])('shows all three kinds on %s columns', async (name, columns) => {
    const { run, codes, ids } = await createAssociated();
    const { stdout } = await run(associations, { columns });
    await expectGolden(`device-associations-${name}.txt`, maskChance(stdout, codes, ids));
  });

  test('gives scripts three lists', async () => {
    const { run, codes } = await createAssociated();
    const { stdout } = await run([...associations, '--json']);
    await expectGolden('device-associations.json', maskChance(indent(stdout), codes));
  });

  test('says how to begin where there are none', async () => {
    const { run } = await createCommandWorld();
    expect((await run(associations)).stdout).toBe(
      'Nothing is shared or handed over. Share a device: tributary device share this\n',
    );
  });

  test('gives scripts the same in production, where a share waits until it is confirmed', async () => {
    const { run, codes } = await createAssociated('production');
    const { stdout } = await run([...associations, '--json']);
    const { incomingSharedDevices, outgoingSharedDevices, ...rest } = JSON.parse(stdout);
    const shares = [...incomingSharedDevices, ...outgoingSharedDevices];
    expect(shares.map(({ isPending }) => isPending)).toEqual([true, true, true]);
    // What nobody has taken yet waits by the other profile, too.
    const confirm = (found: readonly { readonly networkName: unknown }[]) =>
      found.map((share) => ({ ...share, isPending: share.networkName === null }));
    const confirmed = {
      ...rest,
      incomingSharedDevices: confirm(incomingSharedDevices),
      outgoingSharedDevices: confirm(outgoingSharedDevices),
    };
    await expectGolden(
      'device-associations.json',
      maskChance(indent(JSON.stringify(confirmed)), codes),
    );
  });
});

function findCode(stdout: string): string {
  return /^Share code +(\S+)$/m.exec(stdout)?.[1] ?? '';
}
