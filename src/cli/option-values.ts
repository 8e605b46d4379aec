/**
 * What commander reads for options of these flags: `{'--count <number>': …}` gives `{count?: string}`. A flag that is more
 * than its meaning has a default or is required, so its value is there.
 */
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
