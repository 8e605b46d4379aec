import { type ProfileName, type ProvideMode, profiles } from '../service/profiles.ts';
import type { CodeAlphabet } from './codes.ts';

const documented = {
  ...profiles.documented,
  /**
   * How a body that cannot be accepted is answered: by 200 with an `error`, or by a text with its
   * own status.
   */
  badBody: 'error-object' as 'error-object' | 'text',
  /** What a request without a body says; undefined where that is refused as a body. */
  emptyBody: {} as Readonly<Record<string, never>> | undefined,
  /** True if a re-authentication issues `proxy_config_result` again. */
  reissues: true,
  /**
   * What a re-authentication stores for a description or spec that it leaves out; undefined to keep
   * the old one.
   */
  unsaidText: undefined as string | undefined,
  answersClientId: false,
  /** True if `initial_device_state` has to name a country or a location. */
  checksLocation: false,
  /** False if every client is listed with a network id of zeros. */
  listsNetworkIds: true,
  /** True if a client is listed with a mode that nobody set or published. */
  listsInitialMode: true,
  /** True if statistics of providers have each one's mode. */
  countsModes: true,
  /**
   * True if a share that was added waits for its owner to confirm the other network. That it does
   * so in production follows from the names of its public fields and was never measured.
   */
  confirmsShares: false,
  /** undefined to use the service's options. */
  keepaliveSeconds: undefined as number | undefined,
  addressForm: 'prefix' as 'prefix' | 'bare',
  emptyIsNull: false,
  omittedZeros: [] as readonly string[],
  /** Digits after the decimal point of seconds in times. */
  fractionDigits: 3,
  codeAlphabet: 'alphanumeric' as CodeAlphabet,
  /** The terms that a caller may ask of a login code. */
  ofCode: { leastMinutes: 0.001, mostMinutes: 1440, mostUses: 100 },
  initialMode: 'default' as ProvideMode,
  /** True if statistics of providers count what consumers download by the network's protocol. */
  countsCompanions: true,
};

/**
 * How the service behaves in a profile, as data, as far as the two differ (service-interface;
 * production-profile).
 */
export type ServedProfile = Readonly<typeof documented>;

export const servedProfiles: Readonly<Record<ProfileName, ServedProfile>> = {
  documented,
  production: {
    ...profiles.production,
    badBody: 'text',
    emptyBody: undefined,
    reissues: false,
    unsaidText: '',
    answersClientId: true,
    checksLocation: true,
    listsNetworkIds: false,
    listsInitialMode: false,
    countsModes: false,
    confirmsShares: true,
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
    // There, the statistics of providers know the contracts towards a provider only.
    countsCompanions: false,
  },
};

/** What every part of a service depends on. */
export interface Terms {
  readonly profile: ServedProfile;
  readonly clientLimit: number;
  /** How long a token is good; 30 days by default. */
  readonly tokenSeconds?: number | undefined;
  /** In ms since 1970. */
  readonly now: () => number;
}

/** A time in this profile's form: RFC 3339 in UTC, from ms since 1970. */
export function toWireTime({ fractionDigits }: ServedProfile, atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', `${'0'.repeat(fractionDigits - 3)}Z`);
}
