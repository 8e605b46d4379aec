import type { ProvideMode } from '../service/profiles.ts';

/** A registered device. Times are Unix milliseconds. */
export interface Client {
  readonly clientId: string;
  readonly networkId: string;
  readonly deviceId: string;
  readonly sourceClientId: string | null;
  readonly description: string;
  readonly deviceSpec: string;
  readonly createdMs: number;
  readonly authenticatedMs: number;
  readonly provideMode: ProvideMode;
}

/** Clients of one network that follow one another, by their numbers in the database. */
export interface ClientRange {
  readonly networkId: string;
  readonly afterSequence: number;
  readonly lastSequence: number;
}
