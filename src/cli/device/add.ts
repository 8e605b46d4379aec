import { toPlainText } from '../../lib/plain-text.ts';
import type { Secret } from '../../lib/secret.ts';
import type { OperationResponse } from '../../service/operations.ts';
import { confirmOrStop, type ServiceCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { OptionValues } from '../option-values.ts';
import { formatHours } from '../present/amounts.ts';
import { joinLines } from '../present/text.ts';
import { readSecret } from '../read-secret.ts';
import { refuse } from '../refuse.ts';

const flags = {
  '--code-file <file>': 'read the code from this file; - is standard input',
  '--yes': 'do not ask',
};

const question = 'Add the device of this code to your network? A device that is handed over moves for good.';

/** `tributary device add`. */
export const add: ServiceCommand<ReturnType<typeof viewAdded>, OptionValues<typeof flags>> = {
  usage: 'add [code]',
  description:
    'add a device by a share code or an adopt code: from the command line, a prompt, standard input or a file',
  options: flags,
  examples: {
    'tributary device add K7WQ2M4XZP': 'by this code, after a question',
    'tributary device add -- -7WQ2M4XZP': 'the same for a code that begins with -',
    'tributary device add --yes - < code.txt': 'by the code on standard input, without a question',
  },
  async run(session, { words: [word], options }, context) {
    const code = await readCode(word, options.codeFile, context);
    await confirmOrStop(question, options, context);
    return viewAdded(await session.call('deviceAdd', { code }));
  },
  render({ codeType, deviceName = 'the device', associatedNetworkName: owner, clientId, durationMinutes }) {
    const device = toPlainText(deviceName);
    const whose = owner === undefined ? '' : `, which ${toPlainText(owner)} shares with you`;
    return joinLines([
      codeType === 'adopt' ? `Adopted ${device}: it belongs to your network now.` : `Added ${device}${whose}.`,
      clientId !== undefined && `Your client for it: ${toPlainText(clientId)}`,
      durationMinutes !== undefined && `Time limit: ${formatHours(durationMinutes / 60)}`,
      'See your devices: tributary device list',
    ]);
  },
};

/** `codeType` is `share` or `adopt`. An adopted device has neither a network that it stays with nor a client of ours. */
function viewAdded(added: OperationResponse<'deviceAdd'>) {
  const { codeType, code, deviceName, associatedNetworkName, clientId, durationMinutes } = added;
  return { codeType, code, deviceName, associatedNetworkName, clientId, durationMinutes };
}

async function readCode(
  word: string | undefined,
  codeFile: string | undefined,
  context: CommandContext,
): Promise<string | Secret> {
  if (word !== undefined && codeFile !== undefined) {
    throw refuse('adding a device: give the code, or --code-file, not both');
  }
  if (word !== undefined && word !== '-') return word;
  return readSecret({ name: 'code', file: word ?? codeFile, option: '--code-file' }, context);
}
