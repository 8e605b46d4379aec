import type { ProblemCode } from './messages.ts';

/** A problem in the owner's words. */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
}

/** Why there is no connection. `to` is the address that was tried. */
export function nameFailure(error: Error, to: string): Problem {
  const { code = '', message } = error as NodeJS.ErrnoException;
  // Several addresses of one name failed: the error has a code and no text.
  const said = message || code || 'no connection';
  const isTls = tlsCodes.test(code) || /certificate|SSL routines/i.test(message);
  if (isTls)
    return {
      code: 'tls-refused',
      message: `${to}: no secure connection: ${said}; check the clock, and whose certificate it is`,
    };
  return { code: 'platform-unreachable', message: `${to}: ${said}; it is tried again` };
}

/** Why the platform does not do what it was asked; undefined where it does. */
export function nameStatus(status: number, by: string): Problem | undefined {
  if (status < 400) return undefined;
  if (status === 401) return tokenRefused;
  if (versionStatuses.has(status))
    return {
      code: 'version-refused',
      message: `${by}: the platform refuses this version of the program (HTTP ${status}); update it`,
    };
  const why = status === 503 ? 'it is not ready' : 'it refuses the request';
  const message = `${by}: ${why} (HTTP ${status}); it is tried again`;
  return { code: 'platform-refused', message };
}

export const tokenRefused: Problem = {
  code: 'token-refused',
  message: 'the platform refuses the token of this device; a new one is needed',
};

const tlsCodes =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS|ERR_SSL|HOSTNAME_MISMATCH|EPROTO$|INVALID_CA)/;
/** Upgrade Required, and HTTP Version Not Supported. */
const versionStatuses = new Set([426, 505]);
