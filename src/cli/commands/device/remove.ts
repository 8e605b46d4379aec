import { confirmOrStop, defineCommand, refuse } from '../../frame/command.ts';
import { chooseClient, namesOfClient } from '../choose-client.ts';

export const remove = defineCommand({
  usage: 'remove <client>',
  description: 'take a device you no longer use out of your network, for good',
  arguments: { client: namesOfClient },
  options: { '--yes': 'skip the confirmation' },
  examples: {
    'tributary device remove attic': 'asks first; it then no longer counts against the limit',
    'tributary device remove 3f2a --yes': 'for a script',
  },
  async run(session, { words: [text = ''], options }, context) {
    session.findServed('removeClient');
    const { clientId, name } = await chooseClient(session, text);
    if (clientId === (await session.findOwnClientId())) {
      throw refuse('this is the device you are on, and its agent would look for its client', {
        action:
          'Stop it for good first: sudo systemctl disable --now tributary. Then remove it from another device.',
      });
    }
    const device = name === '' ? `client ${clientId}` : `${name} (${clientId})`;
    await confirmOrStop(`Remove ${device} from your network, for good?`, options, context);
    await session.call('removeClient', { clientId });
    return { clientId, name: name || undefined, removed: true };
  },
  render: ({ clientId, name }) => `Removed ${name ?? `client ${clientId}`}.\n`,
});
