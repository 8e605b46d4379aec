import { createRegistrationFiles } from '../../../src/identity/registration-files.ts';
import { GIB, hourMs } from '../../../src/lib/units.ts';
import type { ProfileName } from '../../../src/service/profiles.ts';
import { createOwner } from '../reference-caller.ts';
import { createCommandWorld } from './command-world.ts';
import { addUsage, whileStopped } from './while-stopped.ts';

/** Three devices of one owner, who types on the one called attic, and a neighbour. */
export async function createHousehold(profile: ProfileName = 'documented') {
  const world = await createCommandWorld(profile);
  const cellar = await world.register('cellar');
  world.clock.nowMs += 23 * hourMs;
  const attic = await world.register('attic');
  const shed = await world.register('shed');
  const service = await whileStopped(world, (database) => {
    const atMs = world.clock.nowMs;
    addUsage(database, {
      clientId: attic,
      atMs,
      rxBytes: 3 * GIB,
      txBytes: GIB / 8,
      onlineMs: 18.5 * hourMs,
    });
    addUsage(database, {
      clientId: shed,
      atMs,
      rxBytes: 400 * 2 ** 20,
      txBytes: 2 ** 20,
      onlineMs: 0.7 * hourMs,
    });
  });
  world.clock.nowMs += 3 * hourMs;
  await world.post('/network/auth-client', {
    client_id: attic,
    description: 'attic',
    device_spec: 'pi',
  });
  await createRegistrationFiles(world.stateDirectory, () => undefined).identity.write({
    installId: '0123456789abcdef',
    clientId: attic,
    isUncertain: false,
  });
  const neighbour = await world.addOwner(await createOwner(service, 'Neighbours'));
  return { ...world, service, neighbour, devices: { attic, shed, cellar } };
}

type Run = Awaited<ReturnType<typeof createCommandWorld>>['run'];

/** A share code for the shed. */
export async function shareShed(run: Run): Promise<string> {
  return JSON.parse((await run(['device', 'share', 'shed', '--json'])).stdout).shareCode;
}

/** A household with every kind of association, its codes and its ids. */
export async function createAssociated(profile?: ProfileName) {
  const household = await createHousehold(profile);
  const { run, neighbour, service, devices } = household;
  const codes = [await shareShed(run), await shareShed(run)];
  await neighbour.run(['device', 'add', ...codes.slice(0, 1), '--yes']);
  await neighbour.register('greenhouse');
  const lent = JSON.parse(
    (await neighbour.run(['device', 'share', 'greenhouse', '--json'])).stdout,
  ).shareCode;
  const added = JSON.parse((await run(['device', 'add', lent, '--yes', '--json'])).stdout);
  const { adoptCode } = await service.admin.createAdoptCode({
    clientId: devices.cellar,
    durationMinutes: 90,
  });
  return {
    run,
    codes: [...codes, lent, adoptCode],
    ids: [...Object.values(devices), added.clientId],
  };
}
