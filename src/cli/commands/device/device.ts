import { type CommandGroup, defineCommand, refuse } from '../../frame/command.ts';
import { type CommandContext, loadConfig, type PathOptions } from '../../frame/context.ts';
import { wakeAgent } from '../set-up/reload.ts';
import { associations } from './associations.ts';
import { confirm, unshare } from './end-sharing.ts';
import { list } from './list.ts';
import { pair } from './pair.ts';
import { provide } from './provide.ts';
import { remove } from './remove.ts';
import { rename } from './rename.ts';
import { add, share } from './share.ts';
import { show } from './show.ts';

const keep = defineCommand({
  usage: 'keep',
  description: "keep this device's registration after a move to another board, or a restore on one",
  examples: { 'sudo tributary device keep': 'the old board is no longer in use' },
  act: ({ options }, context) => settle('keep', options, context),
});

const renew = defineCommand({
  usage: 'new',
  description: 'register this copy of a card as a new device; the original stays as it is',
  examples: { 'sudo tributary device new': 'both boards stay in use' },
  act: ({ options }, context) => settle('new', options, context),
});

export const device: CommandGroup = {
  usage: 'device',
  description:
    'your devices: list, show, share, add, rename, remove, set the mode, or pair or settle this one',
  commands: [
    list,
    show,
    share,
    add,
    associations,
    confirm,
    unshare,
    provide,
    rename,
    remove,
    pair,
    keep,
    renew,
  ],
};

/**
 * The owner's decision about a moved device, for which the agent waits before it registers
 * anything.
 */
async function settle(
  as: 'keep' | 'new',
  options: PathOptions,
  context: CommandContext,
): Promise<void> {
  const { hasMoved, readMachine, startNewDevice } = await import('../../../identity/load.ts');
  const { createRegistrationFiles } = await import('../../../identity/registration-files.ts');
  const loaded = await loadConfig(options, context);
  const files = createRegistrationFiles(loaded.stateDirectory, () => undefined);
  const [identity, machine] = [await files.identity.peek(), await readMachine()];
  if (identity === undefined || !hasMoved(identity, machine)) {
    const action = 'To register it as a new device anyway: sudo tributary login --new-device';
    throw refuse('this device has not moved, so there is nothing to do', { action });
  }
  await (as === 'new' ? startNewDevice(files) : files.identity.write({ ...identity, machine }));
  await wakeAgent(loaded);
  context.stdout.write(
    `This device ${as === 'new' ? 'will register as a new one' : 'keeps its registration'}.\n`,
  );
}
