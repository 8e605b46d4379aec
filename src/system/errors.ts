import {
  CodedError,
  type CodedErrorClass,
  catchCoded,
  ignoreCoded,
  rethrowAs,
} from '../lib/errors.ts';

/** What can go wrong between a program of ours and the machine that it runs on. */
export const systemErrorCodes = [
  'not-allowed',
  'missing-program',
  'command-failed',
  'already-running',
  'state-unreadable',
  'state-unwritable',
  'list-refused',
] as const;
export type SystemErrorCode = (typeof systemErrorCodes)[number];

/** A failure of the machine: see `CodedError`. */
export const SystemError: CodedErrorClass<SystemErrorCode> = CodedError;
export type SystemError = CodedError<SystemErrorCode>;

export const rethrow = rethrowAs<SystemErrorCode>;
export const toFailure = catchCoded<SystemErrorCode>;
export const toUndefined = ignoreCoded<SystemErrorCode>;
