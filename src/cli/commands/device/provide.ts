import { TributaryError } from '../../../errors/codes.ts';
import { provideModes, toProvideMode } from '../../../service/profiles.ts';
import { defineCommand } from '../../frame/command.ts';
import { joinLines } from '../../present/text.ts';
import { chooseClient, namesOfClient } from '../choose-client.ts';
import { modeMeanings, refuseMode } from '../everyday/provide.ts';

export const provide = defineCommand({
  usage: 'provide <client> <mode>',
  description: "set a device's mode at the service",
  arguments: { client: namesOfClient, mode: modeMeanings },
  examples: {
    'tributary device provide attic none': 'attic shares nothing from now on',
    'tributary device provide 3f2a public':
      'the device whose id starts with 3f2a shares with everyone',
  },
  async run(session, { words: [text = '', word = ''] }, { setExitCode }) {
    const requestedMode = provideModes.find((mode) => mode === word);
    if (requestedMode === undefined)
      throw refuseMode(word, provideModes, `tributary device provide ${text} none`);
    if (!session.isProfileConfigured) {
      const message =
        "setting the mode: a mode's number depends on service.profile, which is not set";
      throw new TributaryError('profile-unclear', message);
    }
    session.findServed('setProvide');
    const { clientId, name } = await chooseClient(session, text);
    const modeNumber = session.profile.modeNumbers[requestedMode];
    const answer = await session.call('setProvide', { clientId, provideMode: modeNumber });
    // The mode that the service says it applied; undefined where it says no known one.
    const provideMode = toProvideMode(session.profile, answer.provideMode);
    if (provideMode !== requestedMode) setExitCode(1);
    const isThisDevice = clientId === (await session.findOwnClientId());
    return { clientId, name: name || undefined, isThisDevice, requestedMode, provideMode };
  },
  render({ clientId, name, isThisDevice, requestedMode, provideMode }, { paint }) {
    const device = name ?? `client ${clientId}`;
    const said =
      provideMode === undefined ? 'did not say which mode it applied' : `applied ${provideMode}`;
    return joinLines([
      provideMode === requestedMode
        ? `The service set ${device} to mode ${provideMode}.`
        : paint(
            'yellow',
            `warning: asked for mode ${requestedMode} for ${device}, but the service ${said}`,
          ),
      isThisDevice && 'This is the device you are on: its agent will announce its own mode again.',
      isThisDevice && `To change that: tributary provide ${requestedMode}`,
    ]);
  },
});
