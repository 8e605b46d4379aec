import { statSync } from 'node:fs';
import { readSmallFile } from '../system/small-file.ts';
import { chooseConfigPath, configLimitBytes, defaultConfigPath } from './config-file.ts';
import { choosePlaces, type Places, type PlacesOptions } from './places.ts';

/**
 * The places of an agent newer than the file, which it judged; undefined: none, or not plain to
 * see.
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
    // The agent that runs in the usual place need not be the one of a file that is named and names
    // no place.
    const isUnsure = twin !== undefined || (options.configPath && socket === undefined);
    if (isUnsure || socket === '' || (file === undefined && !mayBeAbsent)) return undefined;
    const places = choosePlaces({ ...options, socket });
    const madeMs = places.socketPaths.flatMap(
      (own) => statSync(own, { throwIfNoEntry: false })?.mtimeMs ?? [],
    );
    return madeMs.length > 0 && Math.min(...madeMs) > (file?.ctimeMs ?? 0) ? places : undefined;
  } catch {
    // Whatever is wrong with a file, the whole configuration says it.
    return undefined;
  }
}

/**
 * What a YAML text sets `status.socket` to; undefined: nothing. '' where it is not plain to see.
 */
export function findSocket(text: string): string | undefined {
  const [before = '', after, ...more] = text.replace(/^\s*#.*$/gm, '').split('socket');
  // An escape could spell the name in another way.
  if (text.includes('\\') || more.length > 0) return '';
  if (after === undefined) return undefined;
  const value = /^"?: *("?)(\/[\w./-]{1,99})\1[ \t]*([,}\n]|$)/.exec(after)?.[2];
  return /(^|[\s{,])"?$/.test(before) ? (value ?? '') : '';
}
