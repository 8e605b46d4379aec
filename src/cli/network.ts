import type { CommandGroup } from './command.ts';
import { clients } from './network/clients.ts';
import { leaderboard } from './network/leaderboard.ts';
import { locations } from './network/locations.ts';
import { providers } from './network/providers.ts';
import { reliability } from './network/reliability.ts';
import { spec } from './network/spec.ts';

export const network: CommandGroup = {
  usage: 'network',
  description: "the network's clients, providers by place, reliability and ranking",
  commands: [clients, locations, providers, spec, reliability, leaderboard],
};
