import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { engine, program } from '../../../rolldown.config.ts';
import { type Machine, workingDirectory } from './machine.ts';

const root = join(import.meta.dirname, '../../..');

/**
 * Builds the program and the engine of `source: connect` into a folder of their own, because other
 * processes may use `dist` meanwhile.
 */
export async function buildProgram(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-build-'));
  for (const part of [program, engine])
    await build({
      ...part,
      cwd: root,
      output: { ...part.output, dir: directory },
      logLevel: 'silent',
    });
  // Also for the service, which is nobody in particular.
  await chmod(directory, 0o755);
  return directory;
}

/**
 * Puts the built program, its Node and its units where a package does, and what a world (world.sh)
 * is made of.
 */
export async function installProgram(machine: Machine, built: string): Promise<void> {
  await machine.copyIn(process.execPath, '/usr/lib/tributary/node');
  await machine.copyIn(built, '/usr/lib/tributary/dist');
  const command =
    '#!/bin/sh\nexec /usr/lib/tributary/node /usr/lib/tributary/dist/tributary.cjs "$@"\n';
  await machine.writeFile('/usr/bin/tributary', command, 0o755);
  await machine.copyIn(join(root, 'systemd'), '/usr/lib/systemd/system');
  await machine.copyIn(join(root, 'systemd/user'), '/usr/lib/systemd/user');
  // The first boot makes the user.
  await machine.copyIn(join(root, 'systemd/sysusers'), '/usr/lib/sysusers.d');
  await machine.copyIn(join(import.meta.dirname, 'world.sh'), join(workingDirectory, 'world.sh'));
}

/**
 * Puts into /srv/world what a world (world.sh) is made of, where the machine gets the program
 * itself in another way.
 */
export async function copyWorld(
  machine: Machine,
  built: string,
  node = process.execPath,
): Promise<void> {
  await machine.copyIn(node, '/srv/world/node');
  await machine.copyIn(built, '/srv/world/dist');
  await machine.copyIn(join(import.meta.dirname, 'world.sh'), '/srv/world/world.sh');
}
