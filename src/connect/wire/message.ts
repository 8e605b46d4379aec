import { Encoder } from './encoder.ts';
import type { Id } from './id.ts';
import { Scanner } from './scanner.ts';
import { WireError } from './wire-error.ts';

/**
 * What a message consists of: each property's field number and kind, in ascending order. Reading
 * and writing both follow from it. Packs and frames, which come with each packet, are read by hand.
 */
export type Message<T> = { readonly [Key in keyof T]-?: readonly [number, Kind<T[Key]>] };

/** How the value of a field is read and written, and what it is where the field is absent. */
export interface Kind<T> {
  /** Undefined for a value that must be there. */
  readonly absent: T | undefined;
  readonly isRequired?: boolean;
  read(scanner: Scanner, before: T): T;
  write(encoder: Encoder, field: number, value: T): void;
}

/** @throws WireError for what is no message of that kind */
export function decode<T extends object>(message: Message<T>, bytes: Buffer): T {
  return scanMessage(message, new Scanner(bytes));
}

export function encode<T extends object>(message: Message<T>, value: T): Buffer {
  const encoder = new Encoder();
  writeFields(encoder, message, value);
  return encoder.finish();
}

export function scanMessage<T extends object>(message: Message<T>, scanner: Scanner): T {
  const keys = Object.keys(message) as (keyof T)[];
  const found = Object.fromEntries(keys.map((key) => [key, message[key][1].absent])) as T;
  while (scanner.next()) {
    const key = keys.find((one) => message[one][0] === scanner.field);
    if (key !== undefined) found[key] = message[key][1].read(scanner, found[key]);
  }
  const missing = keys.find((key) => message[key][1].isRequired && found[key] === undefined);
  if (missing !== undefined) throw new WireError(`a message without ${String(missing)}`);
  return found;
}

export function writeMessage<T extends object>(
  encoder: Encoder,
  field: number,
  of: { readonly message: Message<T>; readonly value: T },
): void {
  const end = encoder.mark();
  writeFields(encoder, of.message, of.value);
  encoder.wrap(field, end);
}

function writeFields<T extends object>(encoder: Encoder, message: Message<T>, value: T): void {
  for (const key of (Object.keys(message) as (keyof T)[]).reverse())
    message[key][1].write(encoder, message[key][0], value[key]);
}

export const id: Kind<Id> = {
  absent: undefined,
  isRequired: true,
  read: (scanner) => scanner.id(),
  write: (encoder, field, value) => encoder.id(field, value),
};
export const optionalId: Kind<Id | undefined> = { ...id, isRequired: false };
export const ids: Kind<readonly Id[]> = {
  absent: [],
  read: (scanner, before) => [...before, scanner.id()],
  write: (encoder, field, values) => {
    for (const value of values.toReversed()) encoder.id(field, value);
  },
};
export const integer: Kind<number> = {
  absent: 0,
  read: (scanner) => scanner.integer(),
  write: (encoder, field, value) => encoder.integer(field, value),
};
/** A number whose presence says something: 0 is written too. */
export const optionalInteger: Kind<number | undefined> = {
  absent: undefined,
  read: (scanner) => scanner.integer(),
  write: (encoder, field, value) => {
    if (value !== undefined) encoder.present(field, value);
  },
};
export const flag: Kind<boolean> = {
  absent: false,
  read: (scanner) => scanner.flag(),
  write: (encoder, field, value) => encoder.integer(field, Number(value)),
};
export const optionalFlag: Kind<boolean | undefined> = {
  absent: undefined,
  read: (scanner) => scanner.flag(),
  write: (encoder, field, value) =>
    optionalInteger.write(encoder, field, value === undefined ? undefined : Number(value)),
};
export const bytes: Kind<Buffer> = {
  absent: Buffer.alloc(0),
  read: (scanner) => scanner.bytes(),
  write: (encoder, field, value) => encoder.bytes(field, value),
};
export const optionalBytes: Kind<Buffer | undefined> = {
  absent: undefined,
  read: (scanner) => scanner.bytes(),
  write: (encoder, field, value) => encoder.bytes(field, value),
};

export function maybe<T extends object>(message: Message<T>): Kind<T | undefined> {
  return {
    absent: undefined,
    read: (scanner) => scanMessage(message, scanner.inner()),
    write: (encoder, field, value) => {
      if (value !== undefined) writeMessage(encoder, field, { message, value });
    },
  };
}

export function listOf<T extends object>(message: Message<T>): Kind<readonly T[]> {
  return {
    absent: [],
    read: (scanner, before) => [...before, scanMessage(message, scanner.inner())],
    write: (encoder, field, values) => {
      for (const value of values.toReversed()) writeMessage(encoder, field, { message, value });
    },
  };
}
