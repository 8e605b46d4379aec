/** With which token sockets are opened, and when one is to be opened with another. */
export interface TokenUse {
  /** The token for a socket that is opened now; undefined without a good one. */
  take(): string | undefined;
  /**
   * Whether another token is there than the one that was taken last, and that one is worn: it was
   * refused, or half of its life is over. A service may give another token each minute, and a
   * socket that was opened with a good one goes on. `nowMs`: Unix ms.
   */
  isNewWanted(nowMs: number): boolean;
  /** Whether another token is there than the one that was taken last. */
  isNewThere(): boolean;
}

/** `current` is read all the while: undefined from a refusal on, until another token comes. */
export function createTokenUse(current: () => string | undefined): TokenUse {
  let used: string | undefined;
  let wasRefused = false;
  const isNewThere = (): boolean => {
    const token = current();
    wasRefused ||= token === undefined;
    return token !== undefined && token !== used;
  };
  return {
    take() {
      used = current();
      wasRefused = false;
      return used;
    },
    isNewThere,
    isNewWanted: (nowMs) => isNewThere() && (wasRefused || isHalfOver(used ?? '', nowMs)),
  };
}

/** True also for a token that does not say how long it is good. */
function isHalfOver(token: string, nowMs: number): boolean {
  const { iat, exp } = readMoments(token);
  if (typeof iat !== 'number' || typeof exp !== 'number') return true;
  return nowMs / 1000 >= (iat + exp) / 2;
}

function readMoments(token: string): { readonly iat?: unknown; readonly exp?: unknown } {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}
