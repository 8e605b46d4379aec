import type { AnyCommand, CommandGroup } from './frame/command.ts';

/**
 * `tributary sandbox …`: the commands of the reference service in the frame of this program. The
 * program `tributary-sandbox` has them too, and nothing else.
 */
export async function loadSandbox(): Promise<AnyCommand & CommandGroup> {
  const { createSandboxCommands } = await import(
    '../reference-service/commands/sandbox-commands.ts'
  );
  const { serve, others, shared } = createSandboxCommands('tributary sandbox');
  return { ...serve, commands: others, shared };
}
