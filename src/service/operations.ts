import type * as z from 'zod';
import { accountOperations } from './operations/account.ts';
import { authOperations } from './operations/auth.ts';
import { authClientOperations, clientsOperations } from './operations/clients.ts';
import { deviceOperations } from './operations/device.ts';
import { discoveryOperations } from './operations/discovery.ts';
import { statsOperations } from './operations/stats.ts';
import type { Camelized, Sendable } from './wire-case.ts';

/**
 * Every operation of the interface. A new row only compiles once the reference service has a
 * handler for it.
 */
export const operations = {
  ...authClientOperations,
  ...discoveryOperations,
  ...clientsOperations,
  ...authOperations,
  ...deviceOperations,
  ...statsOperations,
  ...accountOperations,
};

export type OperationName = keyof typeof operations;

type RequestSchemaOf<Name extends OperationName> = (typeof operations)[Name]['request'];

/** A request as the wire has it (snake_case). */
export type WireRequest<Name extends OperationName> =
  RequestSchemaOf<Name> extends z.ZodType ? z.output<RequestSchemaOf<Name>> : undefined;
/** An answer as the wire has it (snake_case, every field may be null or absent). */
export type WireResponse<Name extends OperationName> = z.input<
  (typeof operations)[Name]['response']
>;
/** A request as callers give it (camelCase). */
export type OperationRequest<Name extends OperationName> =
  RequestSchemaOf<Name> extends z.ZodType ? Sendable<z.input<RequestSchemaOf<Name>>> : undefined;
/** An answer as callers get it (camelCase, null is undefined, lists are never absent). */
export type OperationResponse<Name extends OperationName> = Camelized<
  z.output<(typeof operations)[Name]['response']>
>;

/** Operations whose answer is one list with, at most, a few plain fields. */
export type StreamableName = {
  [Name in OperationName]: (typeof operations)[Name] extends { readonly list: string }
    ? Name
    : never;
}[OperationName];

/** One item of that list, as callers get it. */
export type StreamedItem<Name extends StreamableName> =
  z.output<(typeof operations)[Name]['response']> extends Readonly<
    Record<(typeof operations)[Name]['list'], readonly (infer Item)[]>
  >
    ? Camelized<Item>
    : never;
