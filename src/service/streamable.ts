import type * as z from 'zod';
import type { OperationName, operations } from './operations.ts';
import type { Camelized } from './wire-case.ts';

type ResponseOf<Name extends OperationName> = z.output<(typeof operations)[Name]['response']>;

/** Names of the fields that may grow without end: lists, and maps by text. */
type CollectionIn<Response> = {
  [Key in keyof Response]-?: NonNullable<Response[Key]> extends readonly unknown[]
    ? Key
    : string extends keyof NonNullable<Response[Key]>
      ? Key
      : never;
}[keyof Response];

/** The one among `Keys`; never where there are several. */
type Single<Keys, All = Keys> = Keys extends unknown ? ([All] extends [Keys] ? Keys : never) : never;

/** The list that an answer consists of; never where it holds several lists, or a map. */
type ListIn<Response> = {
  [Key in Single<CollectionIn<Response>>]: Response[Key] extends readonly unknown[] ? Key : never;
}[Single<CollectionIn<Response>>];

/** Operations whose answer is one list, with a few plain fields beside it at most. */
export type StreamableName = {
  [Name in OperationName]: [ListIn<ResponseOf<Name>>] extends [never] ? never : Name;
}[OperationName];

/** One item of that list, as callers get it. */
export type StreamedItem<Name extends StreamableName> = ResponseOf<Name>[ListIn<
  ResponseOf<Name>
>] extends readonly (infer Item)[]
  ? Camelized<Item>
  : never;

/** The list's name on the wire; an operation that can be streamed does not compile without its row. */
export const streamableLists: { readonly [Name in StreamableName]: ListIn<ResponseOf<Name>> } = {
  clients: 'clients',
  createProviderSpec: 'specs',
  findProviders: 'client_ids',
  findProviders2: 'providers',
  leaderboard: 'earners',
  providers: 'providers',
  providersLastN: 'providers',
  wallets: 'wallets',
};
