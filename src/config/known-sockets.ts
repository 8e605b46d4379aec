import { statSync } from 'node:fs';
import { readSmallFile } from '../system/small-file.ts';
import { chooseConfigPath, configLimitBytes, defaultConfigPath } from './config-file.ts';
import { choosePlaces, type Places, type PlacesOptions } from './places.ts';

/**
 * The places of a running agent that was started after the file last changed, so that it has
 * checked the file. undefined without one, or where the file cannot be judged without a parser.
 */
export async function findKnownPlaces(options: PlacesOptions): Promise<Places | undefined> {
  const {
    TRIBUTARY_STATUS_SOCKET: named,
    TRIBUTARY_STATUS_SOCKET_FILE: twin,
    ...others
  } = options.environment;
  const path = chooseConfigPath(options);
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    const mayBeAbsent =
      path === defaultConfigPath && others.TRIBUTARY_SERVICE_BASE_URL !== undefined;
    const socket = named ?? (file && findSocket(await readSmallFile(path, configLimitBytes)));
    // A file that was named on the command line and names no socket may belong to another agent
    // than the one at the usual place.
    const isUnsure = twin !== undefined || (options.configPath && socket === undefined);
    if (isUnsure || socket === '' || (file === undefined && !mayBeAbsent)) return undefined;
    const places = choosePlaces({ ...options, socket });
    const madeMs = places.socketPaths.flatMap(
      (own) => statSync(own, { throwIfNoEntry: false })?.mtimeMs ?? [],
    );
    return madeMs.length > 0 && Math.min(...madeMs) > (file?.ctimeMs ?? 0) ? places : undefined;
  } catch {
    // The full reading of the configuration reports what is wrong with a file.
    return undefined;
  }
}

/**
 * The value of `status.socket` in a YAML text; undefined if it is not set, '' where this cannot be
 * told without a parser.
 */
export function findSocket(text: string): string | undefined {
  const [before = '', after, ...more] = text.replace(/^\s*#.*$/gm, '').split('socket');
  // An escape could spell the key's name in another way.
  if (text.includes('\\') || more.length > 0) return '';
  if (after === undefined) return undefined;
  const value = /^"?: *("?)(\/[\w./-]{1,99})\1[ \t]*([,}\n]|$)/.exec(after)?.[2];
  return /(^|[\s{,])"?$/.test(before) ? (value ?? '') : '';
}
