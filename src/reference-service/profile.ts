import type { OperationName } from '../service/operations.ts';
import { type ProfileName, type ProvideMode, profiles } from '../service/profiles.ts';
import type { CodeAlphabet } from './codes.ts';

const documented = {
  ...profiles.documented,
  /** Operations that answer 404 as if they did not exist. */
  notServed: [] as readonly OperationName[],
  /**
   * How a body that cannot be taken is answered: 200 with an `error`, or a text with its own
   * status.
   */
  badBody: 'error-object' as 'error-object' | 'text',
  /** True where a re-authentication issues `proxy_config_result` again. */
  reissues: true,
  /**
   * What a re-authentication makes of a description or spec that it does not say; undefined: it
   * stays.
   */
  unsaidText: undefined as string | undefined,
  answersClientId: false,
  /** True where `initial_device_state` must say a country or a location. */
  checksLocation: false,
  /** undefined: whatever the options say. */
  keepaliveSeconds: undefined as number | undefined,
  addressForm: 'prefix' as 'prefix' | 'bare',
  emptyIsNull: false,
  omittedZeros: [] as readonly string[],
  /** Digits after the second in the times it writes. */
  fractionDigits: 3,
  codeAlphabet: 'alphanumeric' as CodeAlphabet,
  /** What a caller may ask of a login code. */
  ofCode: { leastMinutes: 0.001, mostMinutes: 1440, mostUses: 100 },
  initialMode: 'default' as ProvideMode,
};

/**
 * How the service behaves in one profile, where the two differ, as data (service-interface;
 * production-profile).
 */
export type ServedProfile = Readonly<typeof documented>;

export const servedProfiles: Readonly<Record<ProfileName, ServedProfile>> = {
  documented,
  production: {
    ...profiles.production,
    notServed: ['setProvide'],
    badBody: 'text',
    reissues: false,
    unsaidText: '',
    answersClientId: true,
    checksLocation: true,
    keepaliveSeconds: 0,
    addressForm: 'bare',
    emptyIsNull: true,
    omittedZeros: ['provider_count', 'match_distance'],
    fractionDigits: 9,
    codeAlphabet: 'base64url',
    ofCode: { leastMinutes: 1, mostMinutes: 10, mostUses: 1 },
    // The production service has no operation that sets a mode, so a client keeps the mode that it
    // was registered with.
    initialMode: 'public',
  },
};

/** What every part of a service goes by. */
export interface Terms {
  readonly profile: ServedProfile;
  readonly clientLimit: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A time as this profile writes it: RFC 3339 in UTC, of Unix milliseconds. */
export function toWireTime({ fractionDigits }: ServedProfile, atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', `${'0'.repeat(fractionDigits - 3)}Z`);
}
