import { toPlainText } from '../../lib/plain-text.ts';
import { confirmOrStop, defineCommand } from '../command.ts';
import { formatHours } from '../present/amounts.ts';
import { joinLines } from '../present/text.ts';
import { readSecret } from '../read-secret.ts';
import { refuse } from '../refuse.ts';

const question = 'Add the device of this code to your network? A device that is handed over moves for good.';

export const add = defineCommand({
  usage: 'add [code]',
  description:
    'add a device by a share code or an adopt code: from the command line, a prompt, standard input or a file',
  options: { '--code-file <file>': 'read the code from this file; - is standard input', '--yes': 'do not ask' },
  examples: {
    'tributary device add K7WQ2M4XZP': 'by this code, after a question',
    'tributary device add -- -7WQ2M4XZP': 'the same for a code that begins with -',
    'tributary device add --yes - < code.txt': 'by the code on standard input, without a question',
  },
  async run(session, { words: [word], options }, context) {
    if (word !== undefined && options.codeFile !== undefined) {
      throw refuse('adding a device: give the code, or --code-file, not both');
    }
    const source = { name: 'code', file: word ?? options.codeFile, option: '--code-file' };
    const given = word !== undefined && word !== '-' ? word : await readSecret(source, context);
    await confirmOrStop(question, options, context);
    const added = await session.call('deviceAdd', { code: given });
    const { codeType, code, deviceName, associatedNetworkName, clientId, durationMinutes } = added;
    // `codeType` is `share` or `adopt`. An adopted device has neither a network that it stays with nor a client of ours.
    return { codeType, code, deviceName, associatedNetworkName, clientId, durationMinutes };
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
});
