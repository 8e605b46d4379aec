import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isInAny,
  overlaps,
  type Prefix,
  parsePrefix,
  toNetwork,
} from '../../../src/lib/addresses.ts';
import { assertLaw } from '../law.ts';
import { arbitraryPrefix, isInsideModel, parseValue, toPrefixText } from './prefix-model.ts';

const parse = (text: string): Prefix => {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new Error(`${text} is a prefix`);
  return prefix;
};

describe('a prefix', () => {
  test.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.3'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['1.2.3.4/0', '0.0.0.0/0'],
    ['2001:DB8::1/32', '2001:db8::/32'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::/0', '::/0'],
    ['fe80::1/10', 'fe80::/10'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
    ['::ffff:0:0/96', '::ffff:0.0.0.0/96'],
    ['::1:2', '::0.1.0.2'],
    ['64:ff9b::192.0.2.33/96', '64:ff9b::/96'],
    ['::1', '::1'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['10.1.2.3/31', '10.1.2.2/31'],
    ['FD00:0::1/128', 'fd00::1'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['2001:db8::1/127', '2001:db8::/127'],
  ])('%s is printed as ip and nft print it, a single address bare: %s', (text, network) => {
    expect(toNetwork(parse(text))).toBe(network);
  });

  test.each([
    '',
    '/',
    '10.0.0.1/',
    '10.0.0.1/33',
    '::1/129',
    '10.0.0.1/-1',
    '10.0.0.1/8/8',
    '10.0.0.1/8 ',
    '10.0.0',
    '010.0.0.1',
    '10.0.0.1/1e1',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
    'home',
  ])('is not made of %j', (text) => {
    expect(parsePrefix(text)).toBeUndefined();
  });

  test('keeps its value, whatever its spelling', () => {
    assertLaw(arbitraryPrefix, (model) => {
      const prefix = parse(toPrefixText(model));
      expect([prefix.family, prefix.length, parseValue(prefix.address)]).toEqual([
        model.family,
        model.length,
        model.value,
      ]);
    });
  });

  test('once made a network stays as it is, with every host bit cleared', () => {
    assertLaw(arbitraryPrefix, (model) => {
      const network = toNetwork(parse(toPrefixText(model)));
      const again = parse(network);
      expect(toNetwork(again)).toBe(network);
      const hostBits = BigInt((model.family === 4 ? 32 : 128) - model.length);
      expect(parseValue(again.address)).toBe((model.value >> hostBits) << hostBits);
    });
  });
});

describe('two prefixes', () => {
  test('overlap for each other, and as the arithmetic says', () => {
    assertLaw(fc.tuple(arbitraryPrefix, arbitraryPrefix), ([one, other]) => {
      const [first, second] = [toPrefixText(one), toPrefixText(other)];
      expect(overlaps(first, second)).toBe(overlaps(second, first));
      const [wide, narrow] = one.length <= other.length ? [one, other] : [other, one];
      expect(overlaps(first, second)).toBe(isInsideModel(narrow, wide));
    });
  });

  test('hold an address on whatever interface it is', () => {
    expect(isInAny('fe80::1%eth0', ['fe80::/10'])).toBe(true);
    expect(isInAny('192.0.2.1%eth0', ['192.0.2.0/24'])).toBe(false);
  });

  test('of different families never overlap', () => {
    expect(overlaps('0.0.0.0/0', '::/0')).toBe(false);
    expect(isInAny('10.0.0.1', ['::/0', '::ffff:0:0/96'])).toBe(false);
  });
});

test('an address lies in one of the prefixes as the arithmetic says', () => {
  assertLaw(
    fc.tuple(arbitraryPrefix, fc.array(arbitraryPrefix, { maxLength: 5 })),
    ([own, models]) => {
      const expected = models.some((model) => isInsideModel(own, model));
      expect(isInAny(toPrefixText(own).split('/')[0] ?? '', models.map(toPrefixText))).toBe(
        expected,
      );
    },
  );
});

test('text that is no prefix or no address contains nothing', () => {
  expect(isInAny('10.0.0.1', ['nonsense', '10.0.0.1/99'])).toBe(false);
  expect(isInAny('home', ['0.0.0.0/0', '::/0'])).toBe(false);
  expect(overlaps('home', 'home')).toBe(false);
});
