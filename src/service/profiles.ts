import type { OperationName } from './operations.ts';

/**
 * The owner's names for provide modes. Only this file knows their numbers (service-interface,
 * "Provide Mode").
 */
export const provideModes = ['default', 'none', 'network', 'friends', 'public', 'stream'] as const;
export type ProvideMode = (typeof provideModes)[number];

export const profileNames = ['documented', 'production'] as const;
export type ProfileName = (typeof profileNames)[number];

/**
 * What a service of this kind serves, and how to read its numbers. In `production` every mode's
 * number is one less than documented, so the profiles must never be mixed.
 */
export interface Profile {
  readonly name: ProfileName;
  readonly modeNumbers: Readonly<Record<ProvideMode, number>>;
  /** The unit in which `lookback` of provider-last-n counts; its `last_n` is hours everywhere. */
  readonly lookbackUnit: 'hour' | 'day';
  /** Operations that its services answer with 404. */
  readonly notServed: readonly OperationName[];
  /** For some of them, another operation that takes the same request and answers the same. */
  readonly servedBy: Readonly<Partial<Record<OperationName, OperationName>>>;
}

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  documented: {
    name: 'documented',
    modeNumbers: { default: 0, none: 1, network: 2, friends: 3, public: 4, stream: 5 },
    lookbackUnit: 'hour',
    notServed: ['refreshToken', 'findProviderLocations'],
    servedBy: { findProviderLocations: 'findLocations' },
  },
  production: {
    name: 'production',
    modeNumbers: { default: -1, none: 0, network: 1, friends: 2, public: 3, stream: 4 },
    lookbackUnit: 'day',
    notServed: [
      'setProvide',
      'findLocations',
      'findProviders',
      'createProviderSpec',
      'upgradeGuest',
    ],
    servedBy: { findLocations: 'findProviderLocations' },
  },
};

/** The mode that a number means in this profile; undefined for an absent or unknown number. */
export function toProvideMode(
  profile: Profile,
  number: number | undefined,
): ProvideMode | undefined {
  return provideModes.find((mode) => profile.modeNumbers[mode] === number);
}
