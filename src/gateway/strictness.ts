import type { ProvideMode } from '../service/profiles.ts';

/** `gateway.strict_rules` of the configuration. */
export type StrictSetting = 'auto' | 'always' | 'never';

/** Sources over which strangers come who are known to nobody here. */
const sourcesOfStrangers: readonly string[] = ['connect'];

/**
 * True where a source's consumers are held to the strict rules (`strict-rules.ts`). `auto`: that
 * is where strangers come by a network's own protocol: the owner's own network and friends are
 * people whom the owner can ask, and who comes by an issued tunnel is for its service to judge.
 */
export function hasStrictRules(
  setting: StrictSetting,
  { source, mode }: { readonly source: string; readonly mode: ProvideMode },
): boolean {
  switch (setting) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'auto':
      return sourcesOfStrangers.includes(source) && bringsStrangers(mode);
    default:
      return setting satisfies never;
  }
}

/** `default` is for the service to read, so it counts as the widest that it may mean. */
function bringsStrangers(mode: ProvideMode): boolean {
  switch (mode) {
    case 'none':
    case 'network':
    case 'friends':
      return false;
    case 'default':
    case 'public':
    case 'stream':
      return true;
    default:
      return mode satisfies never;
  }
}
