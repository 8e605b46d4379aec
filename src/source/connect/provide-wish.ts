import type { ProvideMode } from '../../service/profiles.ts';
import type { ProvideWish } from './protocol.ts';

/**
 * Whom the owner's mode publishes this device for. Nobody else decides it here, so the service's
 * default is the least of what provides at all.
 */
export const provideWishes: Readonly<Record<ProvideMode, ProvideWish>> = {
  none: 'none',
  network: 'network',
  friends: 'friends',
  public: 'public',
  stream: 'public',
  default: 'network',
};
