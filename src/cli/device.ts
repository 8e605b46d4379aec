import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { registerAdd } from './device/add.ts';
import { registerAssociations } from './device/associations.ts';
import { registerList } from './device/list.ts';
import { registerSetProvide } from './device/provide.ts';
import { registerShare } from './device/share.ts';

/** Adds `tributary device …`: the devices of the owner's network, and those of others. */
export function registerDevice(program: Command, context: CommandContext): void {
  const group = program.command('device').description("the network's devices: list, share, add, set their mode");
  registerList(group, context);
  registerShare(group, context);
  registerAdd(group, context);
  registerAssociations(group, context);
  registerSetProvide(group, context);
}
