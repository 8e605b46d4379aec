/** What the two lookups without an answer are called. */
export const unansweredNames = [
  'no name server knows this name',
  'no name server answers',
] as const;
const [unknownName, noAnswer] = unansweredNames;

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other end cut the connection',
  ECONNABORTED: 'the connection was cut',
  EPIPE: 'the other end cut the connection',
  ETIMEDOUT: 'nothing came back in time',
  EHOSTUNREACH: 'there is no way to it',
  EHOSTDOWN: 'there is no way to it',
  ENETUNREACH: 'there is no way to its network',
  ENETDOWN: 'this device has no network',
  EADDRNOTAVAIL: 'this device has no address for it',
  EAFNOSUPPORT: 'this device has no address for it',
  EACCES: 'this device forbids it',
  EPERM: 'this device forbids it',
  ENOTFOUND: unknownName,
  EAI_AGAIN: noAnswer,
  ENODATA: 'the name has no address',
};

/** `connect ECONNREFUSED 127.0.0.1:80`, `read ECONNRESET`, or the code alone. */
const systemText =
  /\b(?:(?:connect|read|write|getaddrinfo|query\w*) )?(E[A-Z_]{3,})\b(?: [\w.:[\]-]+)?/g;

/**
 * Why nothing was reached, without the system's own words. What follows a code there is the address
 * again, which the message names anyway.
 */
export function toPlainReason(text: string): string {
  return text.replace(systemText, (all, code: string) =>
    Object.hasOwn(words, code) ? (words[code] ?? all) : all,
  );
}
