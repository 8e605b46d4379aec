import { type Chain, chain, type Rule, refuse, rule } from './rule.ts';

/*
 * The network card merges segments that belong together, and what counts sees one header for all of
 * them. The smaller they are, the more of the line goes uncounted, so smaller ones than any network
 * needs are not agreed on.
 */

const leastBytes = 536;
const agreesOn = { consumer: 'syn', server: '(syn | ack)' } as const;

/** For the packets by which this side says which segments it takes. */
export function listSizeRules(side: keyof typeof agreesOn): readonly Rule[] {
  const isFirst = `tcp flags & (syn | ack) == ${agreesOn[side]}`;
  const tooSmall = `tcp option maxseg size < ${leastBytes}`;
  const further = `${isFirst} tcp doff > ${headerWords + optionWords} jump sizes`;
  return [
    rule('tiny-segments', `${isFirst} ${tooSmall} ${refuse('refused_strange')}`),
    // What a consumer says is what a server then sends: the other way the server chooses.
    ...(side === 'consumer' ? [rule('further-sizes', further)] : []),
  ];
}

/** A header without options, and the option that says a size, in words of four bytes. */
const headerWords = 5;
const optionWords = 1;
const wordBits = 32;
const largestHeaderWords = 15;
/** The option's kind (2) and length (4), before the size. */
const option = 0x0204_0000;

/**
 * How Linux (with Android), Windows and Apple's systems write their first packet: after the size
 * come these options and no others, so that no further size is looked for.
 */
const usualOptions = [
  { name: 'usual-linux', words: 10, text: '@th,192,32 0x0402080a @th,288,24 0x010303' },
  { name: 'usual-windows', words: 8, text: '@th,192,24 0x010303 @th,224,32 0x01010402' },
  {
    name: 'usual-apple',
    words: 11,
    text: '@th,192,24 0x010303 @th,224,32 0x0101080a @th,320,32 0x04020000',
  },
] as const;

/**
 * Of several sizes in one packet the rule above reads the first, and the far end takes the last. So
 * a further one is looked for at each byte at which it can begin.
 */
export function toSizesChain(): Chain {
  const firstBit = (headerWords + optionWords) * wordBits;
  const lastBit = (largestHeaderWords - optionWords) * wordBits;
  const places = Array.from(
    { length: (lastBit - firstBit) / 8 + 1 },
    (_, index) => firstBit + index * 8,
  );
  const range = `0x${option.toString(16)}-0x${(option + leastBytes - 1).toString(16)}`;
  return chain('sizes', [
    ...usualOptions.map(({ name, words, text }) =>
      rule(name, `tcp doff ${words} @th,160,16 0x0204 ${text} return`),
    ),
    ...places.map((bit) =>
      rule('further', `@th,${bit},${wordBits} ${range} ${refuse('refused_strange')}`),
    ),
  ]);
}
