import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import { type ProvideMode, provideModes, toProvideMode } from '../../service/profiles.ts';
import { toPlainText } from '../../status/wrap.ts';
import { chooseClient } from '../choose-client.ts';
import type { CommandContext } from '../context.ts';
import { addServiceCommand, type Given, type Paper } from '../service-command.ts';
import type { Session } from '../session.ts';

/** What `device provide --json` prints. */
interface SetProvideView {
  readonly clientId: string;
  readonly name: string | null;
  readonly isThisDevice: boolean;
  readonly requestedMode: ProvideMode;
  /** As the service says it applied; null where it says none that is known. */
  readonly provideMode: ProvideMode | null;
}

/** Adds `tributary device provide`. */
export function registerSetProvide(group: Command, context: CommandContext): void {
  addServiceCommand<SetProvideView, object>(group, context, {
    usage: 'provide <client> <mode>',
    description: `set the mode of any device at the service: ${provideModes.join(', ')}`,
    examples: {
      'tributary device provide attic none': 'the device of this name provides nothing any more',
      'tributary device provide 3f2a public': 'the one whose id begins like this provides to everybody',
    },
    run: setProvide,
    render: renderSetProvide,
  });
}

async function setProvide(
  session: Session,
  { words: [text = '', word = ''] }: Given<object>,
  { setExitCode }: CommandContext,
): Promise<SetProvideView> {
  const requestedMode = toMode(word);
  if (!session.isProfileConfigured) {
    const message =
      'setting the mode: the configuration names no service.profile, and the number that a mode has depends on it';
    throw new TributaryError('profile-unclear', message);
  }
  const { clientId, name } = await chooseClient(session, text);
  const answer = await session.call('setProvide', {
    clientId,
    provideMode: session.profile.modeNumbers[requestedMode],
  });
  const provideMode = toProvideMode(session.profile, answer.provideMode) ?? null;
  if (provideMode !== requestedMode) setExitCode(1);
  const isThisDevice = clientId === (await session.findOwnClientId());
  return { clientId, name: name || null, isThisDevice, requestedMode, provideMode };
}

/** @throws usage-invalid */
function toMode(word: string): ProvideMode {
  const known = provideModes.find((mode) => mode === word);
  if (known !== undefined) return known;
  throw new TributaryError('usage-invalid', `setting the mode: ${word} is not one of ${provideModes.join(', ')}`);
}

function renderSetProvide(view: SetProvideView, { paint }: Paper): string {
  const device = toPlainText(view.name ?? `client ${view.clientId}`);
  const ofThis = [
    'That is this device, whose agent has a mode of its own: tributary provide',
    'What was set here holds only until the agent announces that one.',
  ];
  return [renderMode(view, device, paint), ...(view.isThisDevice ? ofThis : []), ''].join('\n');
}

function renderMode({ requestedMode, provideMode }: SetProvideView, device: string, paint: Paper['paint']): string {
  if (provideMode === requestedMode) return `The service has ${device} in mode ${provideMode} now.`;
  const said = provideMode === null ? 'did not say which mode it applied' : `applied ${provideMode}`;
  return paint('yellow', `warning: ${device} was to be in mode ${requestedMode}, and the service ${said}`);
}
