import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { registerClients } from './network/clients.ts';
import { registerLeaderboard } from './network/leaderboard.ts';
import { registerLocations } from './network/locations.ts';
import { registerProviders } from './network/providers.ts';
import { registerReliability } from './network/reliability.ts';
import { registerSpec } from './network/spec.ts';

/** Adds `tributary network …`: the owner's clients, where providers are, and how the network does. */
export function registerNetwork(program: Command, context: CommandContext): void {
  const group = program
    .command('network')
    .description("the network's clients, providers by place, reliability and ranking");
  registerClients(group, context);
  registerLocations(group, context);
  registerProviders(group, context);
  registerSpec(group, context);
  registerReliability(group, context);
  registerLeaderboard(group, context);
}
