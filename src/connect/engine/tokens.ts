/** The token in use. One that was refused is used no more, until another one comes. */
export interface Tokens {
  current(): string | undefined;
  /** The platform refused this one; another that came meanwhile stays. */
  refuse(token: string): void;
  renew(token: string): void;
}

export function createTokens(first: string): Tokens {
  let token = first;
  let isRefused = false;
  return {
    current: () => (isRefused ? undefined : token),
    refuse(refused) {
      if (refused === token) isRefused = true;
    },
    renew(next) {
      // One that was refused would be refused again.
      if (next !== token) isRefused = false;
      token = next;
    },
  };
}
