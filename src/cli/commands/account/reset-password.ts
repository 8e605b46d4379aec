import { defineCommand, refuse } from '../../frame/command.ts';
import { joinLines } from '../../present/text.ts';

export const resetPassword = defineCommand({
  usage: 'reset-password <user>',
  arguments: { user: 'your e-mail address or phone number' },
  description: 'have a code sent by which you can set a new password',
  examples: { 'tributary account reset-password ada@example.org': 'the code comes by e-mail' },
  async run(session, { words: [userAuth = ''] }) {
    session.findServed('passwordReset');
    if (userAuth.trim() === '') throw refuse('say an e-mail address or a phone number');
    await session.call('passwordReset', { userAuth });
    return { userAuth };
  },
  render: ({ userAuth }) =>
    joinLines([
      `If a network belongs to ${userAuth}, a code is on its way there.`,
      'Then: tributary account set-password',
    ]),
});
