import { chooseConfigPath } from '../../config/config-file.ts';
import { notSetUp, setUpAdvice } from '../../config/problems.ts';
import { type ErrorCode, TributaryError } from '../../errors/codes.ts';
import { findAction } from '../../health/reasons.ts';
import { formatSeconds } from '../../lib/units.ts';
import { renderCommand, type Typed } from './command.ts';
import { type CommandContext, loadConfig } from './context.ts';

/** A text for every command, or texts by the commands' names. */
type Advice = string | Readonly<Record<string, string>>;

const address = 'Check the address {service}, and that no sign-in page is in between.';

/**
 * What a person who typed a command can do about an error now. The advice in `reasons.ts` is for an
 * agent that tries again on its own. `{command}` becomes what was typed, word for word, `{name}`
 * the command alone, `{service}` the service's address with its file and line.
 */
const advice: Partial<Readonly<Record<ErrorCode, Advice>>> = {
  'usage-invalid': 'See how it is used: tributary {name} --help',
  'configuration-invalid': {
    'config set':
      'Nothing was written. Where several keys have to change together: sudo tributary config edit',
    'config unset': 'Nothing was written. Edit the file as a whole: sudo tributary config edit',
    'config check': 'Edit {file}, then check again.',
    reload:
      'If it needs a restart: sudo systemctl restart tributary. Otherwise correct {file}: tributary config check',
  },
  'already-running': {
    login: 'Stop the agent first: sudo systemctl stop tributary',
    sandbox: 'Stop the other sandbox, or give this one another directory with --data.',
  },
  'not-allowed': 'Run it with sudo: sudo {command}',
  'state-unreadable':
    'Check who owns the file: ls -la. If it is damaged, move it away and try again.',
  'state-unwritable': 'Check who owns the file (ls -la), and whether the disk is full (df -h).',
  'sign-in-refused': 'Try again later. If it goes on for hours: tributary login',
  'service-unreachable': "Check the address {service}, and this device's Internet connection.",
  'service-failed': 'Try again later. The fault is at {service}.',
  'service-refused': {
    'device add': 'Check the code, or ask for a new one: each is used once and expires.',
  },
  'operation-not-served':
    'Check the address {service}. If it is right, it lacks what tributary {name} needs.',
  'rate-limited': 'Try again when the service allows it.',
  'mode-not-applied':
    "Try again in a minute. If it lasts, another program may be setting this device's mode at the service; otherwise tell the service's operator.",
  'answer-redirected': address,
  'answer-not-json': address,
  'answer-invalid': address,
  'answer-too-large': address,
  'answer-truncated': 'Try again.',
  'engine-failed': 'See what it says: journalctl --unit tributary',
  'platform-unreachable':
    'Check connect.urls (tributary config show), and the Internet connection.',
};

/**
 * Adds to an error of ours what the owner can do about it; any other error is returned unchanged.
 */
export async function advise(
  error: unknown,
  { name, options }: Typed,
  context: CommandContext,
): Promise<unknown> {
  if (!(error instanceof TributaryError)) return error;
  const { action: known } = error;
  // What is missing in the file is of use only where the file is looked at.
  if (known?.startsWith(setUpAdvice) && name !== 'config check' && name !== 'run')
    return new TributaryError(error.code, notSetUp, { cause: error, action: known });
  if (known !== undefined) return error;
  const isDenied =
    /^(state|configuration)-/.test(error.code) && /\bE(ACCES|PERM)\b/.test(error.message);
  const found = advice[isDenied && process.geteuid?.() !== 0 ? 'not-allowed' : error.code];
  const text =
    sayWhen(error) ?? (typeof found === 'string' ? found : found?.[name]) ?? findAction(error.code);
  const command = renderCommand(context.typed, {});
  const values = new Map(
    Object.entries({ name, command, ...(await findPlaces(options, context)) }),
  );
  const action = text.replace(/\{(\w+)\}/g, (_, key: string) => values.get(key) ?? '');
  return new TributaryError(error.code, error.message, { cause: error, action });
}

/** When it may be tried again, where that is known. */
function sayWhen({ retryAfterSeconds }: TributaryError): string | undefined {
  return retryAfterSeconds === undefined
    ? undefined
    : `Try again in ${formatSeconds(retryAfterSeconds)}.`;
}

async function findPlaces(options: Typed['options'], context: CommandContext) {
  const file = chooseConfigPath({ configPath: options.config, environment: context.environment });
  const loaded = await loadConfig(options, context).catch(() => undefined);
  const place = loaded?.originOf(['service', 'base_url']).place ?? file;
  return {
    file,
    service: `${loaded?.config.service.base_url ?? ''} (service.base_url, ${place})`.trim(),
  };
}
