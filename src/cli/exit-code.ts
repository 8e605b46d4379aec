import { CommanderError } from 'commander';
import { type ErrorCode, isAbort, TributaryError } from '../lib/errors.ts';

/** Exit codes as in sysexits.h. */
const exitCodes = {
  done: 0,
  usage: 64,
  unavailable: 69,
  bug: 70,
  tryAgain: 75,
  notAllowed: 77,
  configuration: 78,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const byCode: Readonly<Record<ErrorCode, ExitCode>> = {
  'usage-invalid': exitCodes.usage,
  'configuration-invalid': exitCodes.configuration,
  'not-allowed': exitCodes.notAllowed,
  'missing-program': exitCodes.unavailable,
  'command-failed': exitCodes.tryAgain,
  'already-running': exitCodes.tryAgain,
  'not-running': exitCodes.unavailable,
  'state-unreadable': exitCodes.configuration,
  'state-unwritable': exitCodes.tryAgain,
  'signed-out': exitCodes.notAllowed,
  'auth-code-refused': exitCodes.notAllowed,
  'insecure-url': exitCodes.configuration,
  'service-unreachable': exitCodes.unavailable,
  'service-failed': exitCodes.unavailable,
  'service-refused': exitCodes.unavailable,
  'not-authorized': exitCodes.notAllowed,
  'operation-not-served': exitCodes.unavailable,
  'profile-unclear': exitCodes.configuration,
  'rate-limited': exitCodes.tryAgain,
  'answer-redirected': exitCodes.unavailable,
  'answer-not-json': exitCodes.unavailable,
  'answer-invalid': exitCodes.unavailable,
  'answer-too-large': exitCodes.unavailable,
  'answer-truncated': exitCodes.unavailable,
  'client-limit-exceeded': exitCodes.notAllowed,
  'auth-code-limit-exceeded': exitCodes.tryAgain,
  'registration-incomplete': exitCodes.unavailable,
  'identity-moved': exitCodes.notAllowed,
  'wireguard-text-refused': exitCodes.unavailable,
  'list-refused': exitCodes.configuration,
  'outside-unknown': exitCodes.configuration,
  'address-collision': exitCodes.configuration,
  'no-ipv6': exitCodes.configuration,
  'tunnel-failed': exitCodes.tryAgain,
  'gateway-failed': exitCodes.tryAgain,
  'self-test-failed': exitCodes.tryAgain,
  'host-namespace': exitCodes.configuration,
  'lab-failed': exitCodes.tryAgain,
};

/** The exit code of anything thrown: help is done, a wrong command line is usage, a stranger is a bug. */
export function toExitCode(error: unknown): ExitCode {
  if (error instanceof TributaryError) return byCode[error.code];
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  return isAbort(error) ? exitCodes.tryAgain : exitCodes.bug;
}
