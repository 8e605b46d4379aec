import type { CommanderError } from 'commander';
import { isAbort, messageOf, systemCodeOf } from '../../lib/errors.ts';
import { toPlainJson, toPlainText } from '../../lib/plain-text.ts';
import { SandboxError, type SandboxErrorCode } from '../errors.ts';
import { programName } from './program.ts';

/** How the program ends for a failure. */
interface Ending {
  /** As in sysexits.h. */
  readonly exitCode: number;
  /** What the person who typed the command can do. */
  readonly action: string;
}

const tools = 'Check that these work as root: nft list tables; wg show; ip link';

const endings: Readonly<Record<SandboxErrorCode, Ending>> = {
  'usage-invalid': { exitCode: 64, action: `See how it is used: ${programName} --help` },
  'not-allowed': { exitCode: 77, action: 'Run it with sudo.' },
  'missing-program': {
    exitCode: 69,
    action:
      'Install the program that is named; on Debian: apt-get install wireguard-tools iproute2',
  },
  'command-failed': { exitCode: 75, action: tools },
  'already-running': {
    exitCode: 75,
    action: 'Stop the other sandbox, or give this one another directory with --data.',
  },
  'state-unreadable': {
    exitCode: 75,
    action: 'Check who owns the file: ls -la. If it is damaged, move it away and try again.',
  },
  'state-unwritable': {
    exitCode: 75,
    action: 'Check who owns the file (ls -la), and whether the disk is full (df -h).',
  },
  'list-refused': { exitCode: 78, action: 'Correct that file.' },
  'host-namespace': { exitCode: 78, action: 'Run it in a network namespace of its own.' },
  'tunnel-failed': { exitCode: 75, action: tools },
};

/** What is known of something that was thrown. */
interface Failure extends Ending {
  readonly code: SandboxErrorCode | 'bug';
  readonly message: string;
}

/** undefined for help that was asked for. */
export function toFailure(error: unknown): Failure | undefined {
  const message = messageOf(error);
  if (error instanceof SandboxError) {
    const ending = endings[error.code];
    return { ...ending, code: error.code, message, action: error.action ?? ending.action };
  }
  if (isOfCommander(error)) {
    if (error.exitCode === 0) return undefined;
    const text = message.replace(/^error: /, '');
    return { ...endings['usage-invalid'], code: 'usage-invalid', message: text };
  }
  const action = `This is a bug in ${programName}: please report it.`;
  return { code: 'bug', message, action, exitCode: isAbort(error) ? 75 : 70 };
}

function isOfCommander(error: unknown): error is CommanderError {
  return systemCodeOf(error)?.startsWith('commander.') === true;
}

/** The lines for people, or with `isJson` one JSON object: `{"error": {code, message, action}}`. */
export function renderFailure(
  { code, message, action }: Failure,
  { isJson }: { readonly isJson: boolean },
): string {
  return isJson
    ? `${toPlainJson({ error: { code, message, action } })}\n`
    : [`${programName}: ${message}`, `  > ${action}`]
        .map((line) => `${toPlainText(line)}\n`)
        .join('');
}
