import { ServiceError, type ServiceErrorCode } from './errors.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** The error for an answer that cannot be used. The request had its effect, or may have had one. */
export function createAnswerError(
  code: ServiceErrorCode,
  { method, path }: Readonly<Record<'method' | 'path', string>>,
  why: string,
): ServiceError {
  return new ServiceError(code, `${method} ${path}: ${why}`, { maybeSent: true });
}
