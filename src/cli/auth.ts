import type { Command } from 'commander';
import { registerCode } from './auth/code.ts';
import type { CommandContext } from './context.ts';

/** Adds `tributary auth …`: what other devices sign in with. */
export function registerAuth(program: Command, context: CommandContext): void {
  const group = program.command('auth').description('codes that other devices sign in with');
  registerCode(group, context);
}
