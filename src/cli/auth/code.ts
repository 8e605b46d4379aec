import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import { formatSeconds } from '../../lib/units.ts';
import { toPlainText } from '../../status/wrap.ts';
import type { CommandContext } from '../context.ts';
import { renderQrCode } from '../present/qr-code.ts';
import { addServiceCommand, type Given, type Paper } from '../service-command.ts';
import type { Session } from '../session.ts';

interface CodeOptions {
  readonly minutes?: string;
  readonly uses?: string;
  readonly qr?: boolean;
}

/** What `auth code --json` prints; null where the service confirms nothing. */
interface CodeView {
  readonly authCode: string;
  readonly durationMinutes: number | null;
  readonly uses: number | null;
  /** By this machine's clock. */
  readonly expiresAt: string | null;
}

/** Adds `tributary auth code`. */
export function registerCode(group: Command, context: CommandContext): void {
  addServiceCommand<CodeView, CodeOptions>(group, context, {
    usage: 'code',
    description: 'make an auth code, by which another device signs in to this network',
    options: {
      '--minutes <number>': "how long it is good (default: the service's own, 10 as documented)",
      '--uses <number>': "how many sign-ins it is good for (default: the service's own, 1 as documented)",
      '--qr': 'the code as a QR code too',
    },
    examples: {
      'tributary auth code': 'for one device, soon',
      'tributary auth code --minutes 60 --uses 5': 'for five devices within the hour',
      'tributary auth code --json': 'for a script: the code is in authCode',
    },
    run: createCode,
    render: renderCode,
  });
}

async function createCode(
  session: Session,
  { options }: Given<CodeOptions>,
  { now }: CommandContext,
): Promise<CodeView> {
  const durationMinutes = toNumber('--minutes', options.minutes);
  const uses = toNumber('--uses', options.uses);
  if (uses !== undefined && !Number.isInteger(uses)) throw refuse('--uses', options.uses, 'a whole number above 0');
  const answer = await session.call('codeCreate', { durationMinutes, uses });
  if (answer.authCode === undefined) {
    throw new TributaryError('answer-invalid', 'making an auth code: the answer holds neither a code nor an error');
  }
  const minutes = answer.durationMinutes ?? null;
  return {
    // It is what was asked for, and good for little else than to be passed on.
    authCode: answer.authCode.reveal(),
    durationMinutes: minutes,
    uses: answer.uses ?? null,
    expiresAt: minutes === null ? null : toExpiresAt(now(), minutes),
  };
}

/** undefined where it was not given: the service then takes its own. @throws usage-invalid */
function toNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text);
  throw refuse(option, text, 'a number above 0');
}

function refuse(option: string, text: string | undefined, allowed: string): TributaryError {
  return new TributaryError('usage-invalid', `${option} ${text}: it must be ${allowed}`);
}

/** null for a time beyond what a date can say. */
function toExpiresAt(now: Date, minutes: number): string | null {
  const expires = new Date(now.getTime() + minutes * 60_000);
  return Number.isNaN(expires.getTime()) ? null : expires.toISOString();
}

function renderCode({ authCode, durationMinutes, uses }: CodeView, { columns }: Paper, { qr }: CodeOptions): string {
  const validity = [
    durationMinutes === null ? '' : formatSeconds(durationMinutes * 60),
    uses === null ? '' : `${uses} ${uses === 1 ? 'sign-in' : 'sign-ins'}`,
  ].filter((part) => part !== '');
  return [
    toPlainText(authCode),
    '',
    ...(validity.length === 0 ? [] : [`Good for ${validity.join(' and ')}.`]),
    'On the other device, type it when this asks for it, or pipe it in:',
    '  tributary login',
    renderQrCode({ text: authCode, columns, isWanted: qr ?? false }),
  ].join('\n');
}
