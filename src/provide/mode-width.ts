import type { ProvideMode } from '../service/profiles.ts';

/** How many people a mode lets in. The service's default may be anyone. */
const widths: Readonly<Record<ProvideMode, number>> = {
  none: 0,
  network: 1,
  friends: 2,
  default: 3,
  public: 3,
  stream: 3,
};

/** True where `mode` may let in someone whom `other` does not. */
export function isWider(mode: ProvideMode, other: ProvideMode): boolean {
  return widths[mode] > widths[other];
}
