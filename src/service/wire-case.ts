import { Secret } from '../lib/secret.ts';

/** `client_id` → `clientId`, as a type. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** A wire shape with camelCase names; string-keyed maps keep their keys. */
export type Camelized<T> = T extends Secret
  ? Secret
  : T extends readonly (infer Item)[]
    ? readonly Camelized<Item>[]
    : T extends object
      ? string extends keyof T
        ? { readonly [Key in keyof T]: Camelized<T[Key]> }
        : { readonly [Key in keyof T as CamelCase<Key & string>]: Camelized<T[Key]> }
      : T;

/** A wire shape as callers give it: camelCase names, and any text may be a Secret. */
export type Sendable<T> = T extends string
  ? T | Secret
  : T extends readonly (infer Item)[]
    ? readonly Sendable<Item>[]
    : T extends object
      ? { readonly [Key in keyof T as CamelCase<Key & string>]: Sendable<T[Key]> }
      : T;

/**
 * Converted names. There are no more than the schemas have, because these let no other name
 * through.
 */
const camelNames = new Map<string, string>();
/**
 * Wire names by camelCase name. They are kept, because `uptimeLast24h` does not say where a digit
 * began.
 */
const wireNames = new Map<string, string>();

/** `client_id` → `clientId`. */
export function toCamel(name: string): string {
  const known = camelNames.get(name);
  if (known !== undefined) return known;
  const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  camelNames.set(name, camel);
  wireNames.set(camel, name);
  return camel;
}

const toSnake = (name: string) =>
  wireNames.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Renames the keys of a parsed answer. The keys of maps, which have no prototype, are data and
 * stay.
 */
export function fromWire<T>(value: T): Camelized<T> {
  return rename(value, toCamel) as Camelized<T>;
}

/**
 * The body of a request: snake_case names, secrets revealed. Only here does the client reveal a
 * secret in a body.
 */
export function toWire<T>(value: Sendable<T>): T {
  return rename(value, toSnake, (secret) => secret.reveal()) as T;
}

function rename(
  value: unknown,
  name: (key: string) => string,
  onSecret?: (secret: Secret) => unknown,
): unknown {
  if (value instanceof Secret) return onSecret === undefined ? value : onSecret(value);
  if (Array.isArray(value)) return value.map((item) => rename(item, name, onSecret));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === null)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [name(key), rename(item, name, onSecret)]),
  );
}
