import { TributaryError } from '../../lib/errors.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import { chooseClient } from '../choose-client.ts';
import { defineCommand } from '../command.ts';
import { renderQrCode } from '../present/qr-code.ts';
import { joinLines } from '../present/text.ts';
import { refuse } from '../refuse.ts';

export const share = defineCommand({
  usage: 'share <client>',
  description:
    'make a code by which another network may add a device of yours: its id, the start of it, its name, or this',
  options: {
    '--name <name>': "what the other network is shown (default: the device's name)",
    '--qr': 'the code as a QR code too (default: at a terminal that has room for it)',
    '--no-qr': 'text only',
  },
  examples: {
    'tributary device share this': 'the device that this is typed on',
    'tributary device share attic --name "Ada\'s attic"': 'another one, under a name for others',
  },
  async run(session, { words: [text = ''], options }) {
    const { clientId, name } = await chooseClient(session, text);
    const deviceName = options.name ?? name;
    if (deviceName === '') throw refuse(`client ${clientId} has no name: say one for the others with --name`);
    const { shareCode } = await session.call('createShareCode', { clientId, deviceName });
    if (shareCode) return { shareCode, clientId, deviceName };
    throw new TributaryError('answer-invalid', 'sharing the device: the answer holds neither a code nor an error');
  },
  async render({ shareCode, clientId, deviceName }, { columns }, { qr }) {
    return joinLines([
      `Share code  ${toPlainText(shareCode)}`,
      `Device      ${toPlainText(deviceName)} (${toPlainText(clientId)})`,
      '',
      'Give the code to the owner of the network that the device is for. To type there:',
      `  ${writeAddCommand(shareCode)}`,
    ]).concat(await renderQrCode({ text: shareCode, columns, isWanted: qr }));
  },
});

/** A code that a shell would change is left out: the command then asks for it. */
function writeAddCommand(code: string): string {
  if (!/^[\w-]+$/.test(code)) return 'tributary device add';
  return `tributary device add ${code.startsWith('-') ? '-- ' : ''}${code}`;
}
