import { CodedError, type CodedErrorClass, catchCoded, isCoded, rethrowAs } from '../lib/errors.ts';
import { systemErrorCodes } from '../system/errors.ts';

/**
 * Why the sandbox, or a command of its administrator, cannot do what it was asked: its own codes,
 * and the codes of the machine under it.
 */
export const sandboxErrorCodes = [
  ...systemErrorCodes,
  'usage-invalid',
  'host-namespace',
  'tunnel-failed',
] as const;
export type SandboxErrorCode = (typeof sandboxErrorCodes)[number];

/** A failure of the sandbox: see `CodedError`. */
export const SandboxError: CodedErrorClass<SandboxErrorCode> = CodedError;
export type SandboxError = CodedError<SandboxErrorCode>;

export const hasCode = isCoded<SandboxErrorCode>;
export const rethrow = rethrowAs<SandboxErrorCode>;
export const toFailure = catchCoded<SandboxErrorCode>;
