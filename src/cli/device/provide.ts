import { TributaryError } from '../../lib/errors.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import { provideModes, toProvideMode } from '../../service/profiles.ts';
import { chooseClient } from '../choose-client.ts';
import { defineCommand, refuse } from '../command.ts';
import { joinLines } from '../present/text.ts';

export const provide = defineCommand({
  usage: 'provide <client> <mode>',
  description: `set the mode of any device at the service: ${[...provideModes].join(', ')}`,
  examples: {
    'tributary device provide attic none': 'this device shares nothing from now on',
    'tributary device provide 3f2a public': 'the device whose id begins like this shares with everybody',
  },
  async run(session, { words: [text = '', word] }, { setExitCode }) {
    const requestedMode = provideModes.find((mode) => mode === word);
    if (requestedMode === undefined) throw refuse(`setting the mode: ${word} is not one of ${provideModes.join(', ')}`);
    if (!session.isProfileConfigured) {
      const message =
        'setting the mode: the configuration names no service.profile, and the number that a mode has depends on it';
      throw new TributaryError('profile-unclear', message);
    }
    const { clientId, name } = await chooseClient(session, text);
    const modeNumber = session.profile.modeNumbers[requestedMode];
    const answer = await session.call('setProvide', { clientId, provideMode: modeNumber });
    // As the service says it applied; undefined where it says none that is known.
    const provideMode = toProvideMode(session.profile, answer.provideMode);
    if (provideMode !== requestedMode) setExitCode(1);
    const isThisDevice = clientId === (await session.findOwnClientId());
    return { clientId, name: name || undefined, isThisDevice, requestedMode, provideMode };
  },
  render({ clientId, name, isThisDevice, requestedMode, provideMode }, { paint }) {
    const device = toPlainText(name ?? `client ${clientId}`);
    const said = provideMode === undefined ? 'did not say which mode it applied' : `applied ${provideMode}`;
    return joinLines([
      provideMode === requestedMode
        ? `The service has ${device} in mode ${provideMode} now.`
        : paint('yellow', `warning: ${device} was to be in mode ${requestedMode}, and the service ${said}`),
      isThisDevice && 'That is this device, whose agent has a mode of its own: tributary provide',
      isThisDevice && 'What was set here holds only until the agent announces that one.',
    ]);
  },
});
