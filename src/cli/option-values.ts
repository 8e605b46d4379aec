/** `{'--count <number>': …}` gives `{count?: string}`; a flag with a default, or a required one, always has its value. */
export type OptionValues<Flags> = {
  readonly [Flag in keyof Flags & string as Flags[Flag] extends string
    ? CamelCase<LongName<Flag>>
    : never]?: ValueOf<Flag>;
} & {
  readonly [Flag in keyof Flags & string as Flags[Flag] extends string
    ? never
    : CamelCase<LongName<Flag>>]: ValueOf<Flag>;
};

type LongName<Flag> = Flag extends `--${infer Name} ${string}` ? Name : Flag extends `--${infer Name}` ? Name : never;

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name & string;

/** An optional value that was left out reads as true. */
type ValueOf<Flag> = Flag extends `${string}...>`
  ? readonly string[]
  : Flag extends `${string}<${string}>`
    ? string
    : Flag extends `${string}[${string}]`
      ? string | true
      : boolean;
