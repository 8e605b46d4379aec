import { createAdminCommands } from './administer.ts';
import type { SandboxCommand } from './command.ts';
import { createConsumerCommand } from './consumer.ts';
import { createPlatformLists } from './platform-lists.ts';
import { createSeedCommand } from './seed-world.ts';
import { createServeCommand } from './serve.ts';

/** Every command of the sandbox, as one program offers them. */
export interface SandboxCommands {
  /** Runs the service. The others are below its word. */
  readonly serve: SandboxCommand<unknown>;
  readonly others: readonly SandboxCommand<unknown>[];
  /** Options of `serve`, by their long names, that every other command takes as well. */
  readonly shared: readonly string[];
}

/**
 * The commands for a program by this name, which their texts advise: `tributary sandbox`. Nothing
 * of the service is loaded before one of them runs.
 */
export function createSandboxCommands(program: string): SandboxCommands {
  return {
    serve: createServeCommand(program),
    others: [
      ...createAdminCommands(program),
      createSeedCommand(program),
      createConsumerCommand(program),
      ...createPlatformLists(program),
    ],
    shared: ['--data', '--json'],
  };
}
