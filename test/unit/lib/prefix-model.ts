import * as fc from 'fast-check';

/** A prefix as arithmetic: its address as one whole number. */
export interface PrefixModel {
  readonly family: 4 | 6;
  readonly value: bigint;
  readonly length: number;
  /** How an IPv6 address is spelt. */
  readonly spelling: 'long' | 'upper' | 'dotted';
}

const spelling = fc.constantFrom('long' as const, 'upper' as const, 'dotted' as const);

/** Prefixes that meet one another often: few distinct leading bits, any length, any host bits. */
export const arbitraryPrefix: fc.Arbitrary<PrefixModel> = fc.oneof(
  fc.record({
    family: fc.constant(4 as const),
    value: fc.oneof(
      fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }),
      fc.bigInt({ min: 0n, max: 65_535n }).map((low) => (10n << 24n) | low),
    ),
    length: fc.integer({ min: 0, max: 32 }),
    spelling,
  }),
  fc.record({
    family: fc.constant(6 as const),
    value: fc.oneof(
      fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
      fc.bigInt({ min: 0n, max: (1n << 48n) - 1n }),
      fc.bigInt({ min: 0n, max: 65_535n }).map((low) => (0x20010db8n << 96n) | low),
    ),
    length: fc.integer({ min: 0, max: 128 }),
    spelling,
  }),
);

/** The prefix in one of its spellings. */
export function toPrefixText(model: PrefixModel): string {
  return `${model.family === 4 ? toDotted(model.value) : renderGroups(model)}/${model.length}`;
}

/** The arithmetic that the program's own answer is held against. */
export function isInsideModel(own: PrefixModel, wide: PrefixModel): boolean {
  const hostBits = BigInt((wide.family === 4 ? 32 : 128) - wide.length);
  return own.family === wide.family && own.value >> hostBits === wide.value >> hostBits;
}

/** An address as a whole number. */
export function parseValue(address: string): bigint {
  if (!address.includes(':'))
    return address.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n);
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (dotted !== null) {
    const value = parseValue(dotted[2] ?? '');
    return parseValue(
      `${dotted[1]}${(value >> 16n).toString(16)}:${(value & 65_535n).toString(16)}`,
    );
  }
  const [head = '', tail] = address.split('::');
  const splitGroups = (text: string) => text.split(':').filter((group) => group !== '');
  const [front, back] = [splitGroups(head), splitGroups(tail ?? '')];
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function toDotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

function renderGroups({ value, spelling: how }: PrefixModel): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 65_535n).toString(16),
  );
  if (how === 'upper') return groups.map((group) => group.toUpperCase().padStart(4, '0')).join(':');
  return how === 'long'
    ? groups.join(':')
    : `${groups.slice(0, 6).join(':')}:${toDotted(value & 0xffff_ffffn)}`;
}
