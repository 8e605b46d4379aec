import type { CommandGroup } from './command.ts';
import { associations } from './device/associations.ts';
import { list } from './device/list.ts';
import { provide } from './device/provide.ts';
import { keep, renew } from './device/settle.ts';
import { add, share } from './device/share.ts';

export const device: CommandGroup = {
  usage: 'device',
  description: "the network's devices: list, share, add, set their mode; this one after it moved",
  commands: [list, share, add, associations, provide, keep, renew],
};
