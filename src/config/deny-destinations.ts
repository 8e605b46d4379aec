import { parsePrefix } from '../lib/addresses.ts';

const fileMark = 'file:';

/** The entries of `gateway.deny_destinations` by kind. */
interface Denied {
  /** Addresses and prefixes. */
  readonly named: readonly string[];
  /** Paths of files that list more addresses, each path once. */
  readonly files: readonly string[];
}

export function splitDenied(entries: readonly string[]): Denied {
  const isFile = (entry: string) => entry.startsWith(fileMark);
  return {
    named: entries.filter((entry) => !isFile(entry)),
    files: [...new Set(entries.filter(isFile).map((entry) => entry.slice(fileMark.length)))],
  };
}

/** True for an entry of the right form. */
export function isDenied(entry: string): boolean {
  if (entry.startsWith(fileMark)) return isListFile(entry);
  return (parsePrefix(entry)?.length ?? 0) > 0;
}

/** True for a file by its full path. */
export function isListFile(entry: string): boolean {
  return /^file:\/[^\0]+$/.test(entry);
}
