import type { OperationName } from '../service/operations.ts';
import { type Profile, type ProfileName, type ProvideMode, profiles } from '../service/profiles.ts';
import type { CodeAlphabet, CodeTerms } from './codes.ts';

/** How the service behaves in one profile, where the two differ, as data (service-interface; production-profile). */
export interface ServedProfile extends Profile {
  /** Operations that answer 404 as if they did not exist. */
  readonly notServed: readonly OperationName[];
  /** How a body that cannot be taken is answered: 200 with an `error`, or a text with its own status. */
  readonly badBody: 'error-object' | 'text';
  /** True where a re-authentication issues `proxy_config_result` again. */
  readonly reissues: boolean;
  readonly answersClientId: boolean;
  /** True where `initial_device_state` must say a country or a location. */
  readonly checksLocation: boolean;
  /** undefined: whatever the options say. */
  readonly keepaliveSeconds: number | undefined;
  /** How `client_ipv4` is written. */
  readonly addressForm: 'prefix' | 'bare';
  /** True where an empty list is null on the wire. */
  readonly emptyIsNull: boolean;
  /** Fields that are left out where they are zero. */
  readonly omittedZeros: readonly string[];
  /** Digits after the second in the times it writes. */
  readonly fractionDigits: 3 | 9;
  readonly codeAlphabet: CodeAlphabet;
  /** The most that a caller may ask of a login code. */
  readonly mostOfCode: CodeTerms;
  readonly initialMode: ProvideMode;
}

/** What every part of a service goes by. */
export interface Terms {
  readonly profile: ServedProfile;
  readonly clientLimit: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export const servedProfiles: Readonly<Record<ProfileName, ServedProfile>> = {
  documented: {
    ...profiles.documented,
    notServed: [],
    badBody: 'error-object',
    reissues: true,
    answersClientId: false,
    checksLocation: false,
    keepaliveSeconds: undefined,
    addressForm: 'prefix',
    emptyIsNull: false,
    omittedZeros: [],
    fractionDigits: 3,
    codeAlphabet: 'alphanumeric',
    mostOfCode: { durationMinutes: 1440, uses: 100 },
    initialMode: 'default',
  },
  production: {
    ...profiles.production,
    notServed: ['setProvide'],
    badBody: 'text',
    reissues: false,
    answersClientId: true,
    checksLocation: true,
    keepaliveSeconds: 0,
    addressForm: 'bare',
    emptyIsNull: true,
    omittedZeros: ['provider_count', 'match_distance'],
    fractionDigits: 9,
    codeAlphabet: 'base64url',
    mostOfCode: { durationMinutes: 10, uses: 1 },
    // There is no way to set a mode there, so every client provides as it was registered.
    initialMode: 'public',
  },
};

/** A time as this profile writes it: RFC 3339 in UTC, of Unix milliseconds. */
export function toWireTime({ fractionDigits }: ServedProfile, atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', `${'0'.repeat(fractionDigits - 3)}Z`);
}
