import type { CommandGroup } from '../../frame/command.ts';
import { call } from './call.ts';
import { clients } from './clients.ts';
import { leaderboard } from './leaderboard.ts';
import { locations } from './locations.ts';
import { providers } from './providers.ts';
import { reliability } from './reliability.ts';
import { spec } from './spec.ts';

/** What the service offers beyond what an owner of devices needs from day to day. */
export const service: CommandGroup = {
  usage: 'service',
  description:
    'all that the service offers: places and providers, ranking, and any request by name',
  commands: [clients, locations, providers, spec, reliability, leaderboard, call],
};
