import { TributaryError } from '../../../errors/codes.ts';
import { confirmOrStop, defineCommand, refuse } from '../../frame/command.ts';
import { readSecret } from '../../frame/read-secret.ts';
import { formatHours } from '../../present/amounts.ts';
import { renderQrCode } from '../../present/qr-code.ts';
import { joinLines } from '../../present/text.ts';
import { chooseClient, namesOfClient } from '../choose-client.ts';

export const share = defineCommand({
  usage: 'share <client>',
  description: 'make a code that lets another network add one of your devices',
  arguments: { client: namesOfClient },
  options: {
    '--name <name>': "what the other network is shown (default: the device's name)",
    '--qr': 'the code as a QR code too (default: at a terminal that has room for it)',
    '--no-qr': 'text only',
  },
  examples: {
    'tributary device share this': 'this device',
    'tributary device share attic --name "Ada\'s attic"': 'another one, under a name for others',
  },
  async run(session, { words: [text = ''], options }) {
    const { clientId, name } = await chooseClient(session, text);
    const deviceName = options.name ?? name;
    if (deviceName === '')
      throw refuse(`client ${clientId} has no name: say one for the others with --name`);
    const { shareCode } = await session.call('createShareCode', { clientId, deviceName });
    if (shareCode) return { shareCode, clientId, deviceName };
    throw new TributaryError(
      'answer-invalid',
      'sharing the device: the answer holds neither a code nor an error',
    );
  },
  async render({ shareCode, clientId, deviceName }, { columns }, { qr }) {
    return joinLines([
      `Share code  ${shareCode}`,
      `Device      ${deviceName} (${clientId})`,
      '',
      'Give this code to the owner of the other network, who types:',
      `  ${writeAddCommand(shareCode)}`,
    ]).concat(await renderQrCode({ text: shareCode, columns, isWanted: qr }));
  },
});

const question =
  'Add the device of this code to your network? A device that is handed over moves for good.';

export const add = defineCommand({
  usage: 'add [code]',
  description:
    'add a device by a share code or an adopt code: typed here or when asked, or read from a file',
  options: {
    '--code-file <file>': 'read the code from this file; - is standard input',
    '--yes': 'skip the confirmation',
  },
  examples: {
    'tributary device add K7WQ2M4XZP': 'by this code, after a question',
    'tributary device add -- -7WQ2M4XZP': 'the same for a code that begins with -',
    'tributary device add --yes - < code.txt': 'by the code on standard input, without a question',
  },
  async run(session, { words: [word], options }, context) {
    if (word !== undefined && options.codeFile !== undefined)
      throw refuse('give the code or --code-file, not both');
    const source = { name: 'code', file: word ?? options.codeFile, option: '--code-file' };
    const given = word !== undefined && word !== '-' ? word : await readSecret(source, context);
    await confirmOrStop(question, options, context);
    const added = await session.call('deviceAdd', { code: given });
    const { codeType, code, deviceName, associatedNetworkName, clientId, durationMinutes } = added;
    if ((codeType ?? code ?? deviceName ?? clientId) === undefined) {
      const message = 'adding the device: the answer holds neither a device nor an error';
      throw new TributaryError('answer-invalid', message);
    }
    // `codeType` is `share` or `adopt`. An adopted device has neither another network nor a client
    // of ours.
    return { codeType, code, deviceName, associatedNetworkName, clientId, durationMinutes };
  },
  render({
    codeType,
    deviceName = 'the device',
    associatedNetworkName: owner,
    clientId,
    durationMinutes,
  }) {
    const whose = owner === undefined ? '' : `, which ${owner} shares with you`;
    return joinLines([
      codeType === 'adopt'
        ? `Adopted ${deviceName}: it belongs to your network now.`
        : `Added ${deviceName}${whose}.`,
      clientId !== undefined && `Your client for it: ${clientId}`,
      // A service may name the time limit of an adopt code, which ends nothing once it is used.
      codeType !== 'adopt' &&
        durationMinutes !== undefined &&
        `Time limit: ${formatHours(durationMinutes / 60)}`,
      'See your devices: tributary device list',
    ]);
  },
});

/**
 * The command to add the device. A code that a shell would change is left out, and the command then
 * asks for it.
 */
function writeAddCommand(code: string): string {
  if (!/^[\w-]+$/.test(code)) return 'tributary device add';
  return `tributary device add ${code.startsWith('-') ? '-- ' : ''}${code}`;
}
