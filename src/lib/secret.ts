import { inspect, isDeepStrictEqual } from 'node:util';

/**
 * Text that must not be shown: it prints as `[secret]` everywhere. Searching for `reveal(` lists
 * every place where one is used.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  equals(other: Secret | undefined): boolean {
    return other !== undefined && other.#text === this.#text;
  }

  /** The secret without the white space around it that files, prompts and clipboards add. */
  trim(): Secret {
    return new Secret(this.#text.trim());
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/** An address whose path and query are secret: it prints as `https://hooks.example/…`. */
export class SecretAddress extends Secret {
  override toString(): string {
    return hidePath(this.reveal());
  }
}

/**
 * True where both hold equal values. All secrets print alike, so they are compared by their texts.
 * A field that is absent equals one that is undefined.
 */
export function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Secret && other instanceof Secret) return one.equals(other);
  if (!isMap(one) || !isMap(other)) return isDeepStrictEqual(one, other);
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) =>
    isSame(one[key], other[key]),
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Secret)
  );
}

/** An address without its user, path and query; `[secret]` for text that is no address. */
export function hidePath(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.host === '') return '[secret]';
  const rest = `${parsed.pathname}${parsed.search}`;
  return `${parsed.protocol}//${parsed.host}${rest === '' || rest === '/' ? '' : '/…'}`;
}
