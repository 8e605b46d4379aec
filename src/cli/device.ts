import { type CommandGroup, defineCommand, refuse } from './command.ts';
import { type CommandContext, loadConfig, type PathOptions } from './context.ts';
import { associations } from './device/associations.ts';
import { list } from './device/list.ts';
import { provide } from './device/provide.ts';
import { add, share } from './device/share.ts';
import { show } from './device/show.ts';
import { wakeAgent } from './reload.ts';

const keep = defineCommand({
  usage: 'keep',
  description: 'after this device moved to another board or was restored on one: go on as the same device',
  examples: { 'sudo tributary device keep': 'the old board is no longer in use' },
  act: ({ options }, context) => settle('keep', options, context),
});

const renew = defineCommand({
  usage: 'new',
  description: 'after a card was copied: make this one a device of its own; the other goes on as it is',
  examples: { 'sudo tributary device new': 'both boards stay in use' },
  act: ({ options }, context) => settle('new', options, context),
});

export const device: CommandGroup = {
  usage: 'device',
  description: "the network's devices: list, show, share, add, set their mode; this one after it moved",
  commands: [list, show, share, add, associations, provide, keep, renew],
};

/** The agent waits for this, and registers nothing before. */
async function settle(as: 'keep' | 'new', options: PathOptions, context: CommandContext): Promise<void> {
  const { hasMoved, readMachine, startNewDevice } = await import('../identity/load.ts');
  const { createRegistrationFiles } = await import('../identity/registration-files.ts');
  const loaded = await loadConfig(options, context);
  const files = createRegistrationFiles(loaded.stateDirectory, () => undefined);
  const [identity, machine] = [await files.identity.peek(), await readMachine()];
  if (identity === undefined || !hasMoved(identity, machine)) {
    throw refuse('this device has not moved; to register it as a new one all the same: tributary login --new-device');
  }
  await (as === 'new' ? startNewDevice(files) : files.identity.write({ ...identity, machine }));
  await wakeAgent(loaded);
  context.stdout.write(`This device ${as === 'new' ? 'registers as a new one' : 'goes on as the same one'}.\n`);
}
