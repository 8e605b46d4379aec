import { code } from './auth/code.ts';
import type { CommandGroup } from './command.ts';

/** `tributary auth …`: what other devices sign in with. */
export const auth: CommandGroup = {
  name: 'auth',
  description: 'codes that other devices sign in with',
  commands: [code],
};
