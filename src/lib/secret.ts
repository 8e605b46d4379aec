import { inspect } from 'node:util';

/** Text that must not be shown: it prints as `[secret]` everywhere. Searching for `reveal(` lists every place one leaves. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. */
  reveal(): string {
    return this.#text;
  }

  equals(other: Secret | undefined): boolean {
    return other !== undefined && other.#text === this.#text;
  }

  /** The same without white space around it, as files, prompts and clipboards add it. */
  trim(): Secret {
    return new Secret(this.#text.trim());
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
