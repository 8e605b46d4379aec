import type { CommandGroup } from '../../frame/command.ts';
import { clients } from './clients.ts';
import { leaderboard } from './leaderboard.ts';
import { locations } from './locations.ts';
import { providers } from './providers.ts';
import { reliability } from './reliability.ts';
import { spec } from './spec.ts';

export const network: CommandGroup = {
  usage: 'network',
  description: "the network's clients, providers by place, reliability and ranking",
  commands: [clients, locations, providers, spec, reliability, leaderboard],
};
