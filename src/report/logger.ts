import { type Logger, pino } from 'pino';
import { escapeUnseen } from '../lib/plain-text.ts';
import { toErrorFields } from './error-fields.ts';
import { toLogText } from './log-text.ts';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'auto' | 'json' | 'text';
}

export interface LogSurroundings {
  /** True where a person reads along; under systemd and in containers it is not. */
  readonly isTty: boolean;
  readonly destination: { write(text: string): unknown };
}

const secretNames = ['token', 'jwt', 'byJwt', 'byClientJwt', 'networkJwt', 'authCode', 'privateKey', 'authorization'];

/** The log: JSON lines for machines, one readable line a record for people (`auto` chooses by the terminal). */
export function createLogger(settings: LogSettings, { isTty, destination }: LogSurroundings): Logger {
  const isText = settings.format === 'text' || (settings.format === 'auto' && isTty);
  return pino(
    {
      level: settings.level,
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: toErrorFields, err: toErrorFields },
      // The belt; the braces are that secrets are `Secret` and print as `[secret]` by themselves.
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
    },
    { write: (line: string) => void destination.write(isText ? toLogText(line) : escapeUnseen(line)) },
  );
}
