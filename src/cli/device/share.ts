import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import { toPlainText } from '../../status/wrap.ts';
import { chooseClient } from '../choose-client.ts';
import type { CommandContext } from '../context.ts';
import { renderQrCode } from '../present/qr-code.ts';
import { addServiceCommand, type Given, type Paper } from '../service-command.ts';
import type { Session } from '../session.ts';

interface ShareOptions {
  readonly name?: string;
  /** undefined: at a terminal that has room for it. */
  readonly qr?: boolean;
}

/** What `device share --json` prints. */
interface ShareView {
  readonly shareCode: string;
  readonly clientId: string;
  /** What the other network is shown. */
  readonly deviceName: string;
}

/** Adds `tributary device share`. */
export function registerShare(group: Command, context: CommandContext): void {
  addServiceCommand<ShareView, ShareOptions>(group, context, {
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
    run: shareDevice,
    render: renderShare,
  });
}

async function shareDevice(session: Session, { words, options }: Given<ShareOptions>): Promise<ShareView> {
  const { clientId, name } = await chooseClient(session, words[0] ?? '');
  const deviceName = options.name ?? name;
  if (deviceName === '') {
    throw new TributaryError('usage-invalid', `client ${clientId} has no name: say one for the others with --name`);
  }
  const { shareCode } = await session.call('createShareCode', { clientId, deviceName });
  if (shareCode) return { shareCode, clientId, deviceName };
  throw new TributaryError('answer-invalid', 'sharing the device: the answer holds neither a code nor an error');
}

function renderShare({ shareCode, clientId, deviceName }: ShareView, { columns }: Paper, { qr }: ShareOptions): string {
  return [
    `Share code  ${toPlainText(shareCode)}`,
    `Device      ${toPlainText(deviceName)} (${toPlainText(clientId)})`,
    '',
    'Give the code to the owner of the network that the device is for. To type there:',
    `  ${toAddCommand(shareCode)}`,
    renderQrCode({ text: shareCode, columns, isWanted: qr }),
  ].join('\n');
}

/** What a shell would make something else of is asked for instead. */
function toAddCommand(code: string): string {
  if (!/^[\w-]+$/.test(code)) return 'tributary device add';
  return `tributary device add ${code.startsWith('-') ? '-- ' : ''}${code}`;
}
