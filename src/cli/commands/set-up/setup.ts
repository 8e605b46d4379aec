import { profileNames, provideModes } from '../../../service/profiles.ts';
import { defineCommand } from '../../frame/command.ts';

/**
 * `tributary setup` turns an installed package into a device that shares, in one dialogue or by one
 * line.
 */
export const setup = defineCommand({
  usage: 'setup',
  description:
    'set up this device: asks for service, mode, cap and sign-in, or takes them as options',
  options: {
    '--service <address>': 'address of the service, such as https://service.example',
    '--profile <name>': `how the service speaks: ${[...profileNames].join(' or ')} (default: detected)`,
    '--mode <mode>': `who may use your connection: ${[...provideModes].join(', ')} (default: friends)`,
    '--cap <amount>': 'monthly data cap, such as 500GB',
    '--country <code>': 'country of the tunnel, two letters, such as DE: one that has providers',
    '--code-file <file>': 'read the auth code from this file; - is standard input',
    '--json': 'one JSON object',
  },
  examples: {
    'sudo tributary setup': 'question by question',
    'sudo tributary setup --service https://service.example --mode friends --code-file code.txt':
      'in one line',
  },
  act: async (given, context) => (await import('./setup-run.ts')).runSetup(given, context),
});
