import { bytes, integer, listOf, type Message } from './message.ts';

/** The secret by which the platform signs contracts of one mode. */
export interface ProvideKey {
  readonly mode: number;
  readonly secret: Buffer;
}

/** The whole set of modes that a provider is there for: it replaces the set before it. */
export interface Provide {
  readonly keys: readonly ProvideKey[];
}

const provideKey: Message<ProvideKey> = { mode: [1, integer], secret: [2, bytes] };
export const provide: Message<Provide> = { keys: [1, listOf(provideKey)] };

/** The platform asks to come back by another socket. */
export interface ResidentMigrate {
  /** In Unix ms of the platform's clock. */
  readonly migrateAt: number;
}

export const residentMigrate: Message<ResidentMigrate> = { migrateAt: [1, integer] };
