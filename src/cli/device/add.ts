import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import { toPlainText } from '../../status/wrap.ts';
import type { CommandContext } from '../context.ts';
import { formatHours } from '../present/amounts.ts';
import { readSecret } from '../read-secret.ts';
import { addServiceCommand, confirmOrStop, type Given } from '../service-command.ts';
import type { Session } from '../session.ts';

interface AddOptions {
  readonly codeFile?: string;
}

/** What `device add --json` prints; null where the service says nothing. */
interface AddedView {
  /** `share` or `adopt`. */
  readonly codeType: string | null;
  readonly code: string | null;
  readonly deviceName: string | null;
  /** Whose device it stays; null for an adopted one. */
  readonly associatedNetworkName: string | null;
  /** This network's client for a shared device; null for an adopted one. */
  readonly clientId: string | null;
  readonly durationMinutes: number | null;
}

const question = 'Add the device of this code to your network? A device that is handed over moves for good.';

/** Adds `tributary device add`. */
export function registerAdd(group: Command, context: CommandContext): void {
  addServiceCommand<AddedView, AddOptions>(group, context, {
    usage: 'add [code]',
    description:
      'add a device by a share code or an adopt code: from the command line, a prompt, standard input or a file',
    options: {
      '--code-file <file>': 'read the code from this file; - is standard input',
      '--yes': 'do not ask',
    },
    examples: {
      'tributary device add K7WQ2M4XZP': 'by this code, after a question',
      'tributary device add -- -7WQ2M4XZP': 'the same for a code that begins with -',
      'tributary device add --yes - < code.txt': 'by the code on standard input, without a question',
    },
    run: addDevice,
    render: renderAdded,
  });
}

async function addDevice(
  session: Session,
  { words: [word], options }: Given<AddOptions>,
  context: CommandContext,
): Promise<AddedView> {
  const code = await readCode(word, options.codeFile, context);
  await confirmOrStop(question, options, context);
  const added = await session.call('deviceAdd', { code });
  return {
    codeType: added.codeType ?? null,
    code: added.code ?? null,
    deviceName: added.deviceName ?? null,
    associatedNetworkName: added.associatedNetworkName ?? null,
    clientId: added.clientId ?? null,
    durationMinutes: added.durationMinutes ?? null,
  };
}

async function readCode(
  word: string | undefined,
  codeFile: string | undefined,
  context: CommandContext,
): Promise<string | Secret> {
  if (word !== undefined && codeFile !== undefined) {
    throw new TributaryError('usage-invalid', 'adding a device: give the code, or --code-file, not both');
  }
  if (word !== undefined && word !== '-') return word;
  return readSecret({ name: 'code', file: word ?? codeFile, option: '--code-file' }, context);
}

function renderAdded({ codeType, deviceName, associatedNetworkName, clientId, durationMinutes }: AddedView): string {
  const device = toPlainText(deviceName ?? 'the device');
  const whose = associatedNetworkName === null ? '' : `, which ${toPlainText(associatedNetworkName)} shares with you`;
  return [
    codeType === 'adopt' ? `Adopted ${device}: it belongs to your network now.` : `Added ${device}${whose}.`,
    ...(clientId === null ? [] : [`Your client for it: ${toPlainText(clientId)}`]),
    ...(durationMinutes === null ? [] : [`Time limit: ${formatHours(durationMinutes / 60)}`]),
    'See your devices: tributary device list\n',
  ].join('\n');
}
