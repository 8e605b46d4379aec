import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type AddressList,
  badListRules,
  namedListRules,
  parseAddressList,
  readAddressList,
} from '../../../src/system/address-list.ts';
import { assertLaw } from '../law.ts';
import { arbitraryPrefix, isInsideModel, parseValue, toPrefixText } from '../lib/prefix-model.ts';

const listElements = ({ sets }: AddressList) =>
  ([4, 6] as const).map((family) =>
    sets
      .filter((set) => set.family === family)
      .flatMap(({ chunks }) => chunks)
      .join(', '),
  );

/** Every prefix of a list, with its length, by family. */
const listPrefixes = ({ sets }: AddressList, family: 4 | 6) =>
  sets
    .filter((set) => set.family === family)
    .flatMap(({ length, chunks }) =>
      chunks
        .flatMap((chunk) => chunk.split(', '))
        .map((text) => (length === undefined ? text : `${text}/${length}`)),
    );

describe('a list of addresses', () => {
  test.each([
    ['an address', '192.0.2.7', ['192.0.2.7', '']],
    ['a prefix, with host bits', '192.0.2.7/24', ['192.0.2.0/24', '']],
    ['both families', '192.0.2.7\n2001:db8::7\n', ['192.0.2.7', '2001:db8::7']],
    ['comments and blank lines', '# one\n\n; two\n192.0.2.7 # three\n   \n', ['192.0.2.7', '']],
    [
      "Spamhaus' form",
      '; DROP\n1.10.16.0/20 ; SBL256894\n1.19.0.0/16 ; SBL434604\n',
      ['1.10.16.0/20, 1.19.0.0/16', ''],
    ],
    ['lines of Windows', '192.0.2.7\r\n192.0.2.9\r\n', ['192.0.2.7, 192.0.2.9', '']],
    ['a byte order mark', '\u00ef\u00bb\u00bf192.0.2.7\n', ['192.0.2.7', '']],
    ['the same twice, unsorted', '192.0.2.9\n192.0.2.7\n192.0.2.9', ['192.0.2.7, 192.0.2.9', '']],
    [
      'prefixes in one another',
      '10.0.0.0/8\n10.1.0.0/16\n9.255.255.255',
      ['9.255.255.255, 10.0.0.0/8', ''],
    ],
    [
      'neighbours',
      '192.0.2.0/25\n192.0.2.128/25\n2001:db8::/33\n2001:db8:8000::/33',
      ['192.0.2.0/24', '2001:db8::/32'],
    ],
    [
      'the ends of the address space',
      '0.0.0.0/1\n255.255.255.255\n8000::/1',
      ['0.0.0.0/1, 255.255.255.255', '8000::/1'],
    ],
    ['all addresses but one half', '0.0.0.0/2\n128.0.0.0/1', ['0.0.0.0/2, 128.0.0.0/1', '']],
  ])('takes %s', (_what, text, elements) => {
    expect(listElements(parseAddressList(text, 'list'))).toEqual(elements);
  });

  test.each([
    ['a word', '192.0.2.7\nhello\n', 'list:2: found "hello"'],
    ['half a prefix', '192.0.2.0/', 'list:1: found "192.0.2.0/"'],
    ['an address that is none', '1.2.3.256', 'list:1: found "1.2.3.256"'],
    ['the whole Internet', '192.0.2.7\n\n0.0.0.0/0', 'list:3: found "0.0.0.0/0"'],
    ['two addresses on a line', '192.0.2.7 192.0.2.8', 'list:1: found "192.0.2.7 192.0.2.8"'],
    ['control characters', '\u001b[31m\u009b', 'list:1: found "?[31m?"'],
    ['an address with a zone', 'fe80::1%eth0', 'list:1: found "fe80::1%eth0"'],
    ['a page of HTML', '<html>\n<body>\n</body>\n</html>\n', 'list:3: found "</body>"; and 1 more'],
    ['nothing', '', 'list: there is no address in it'],
    ['comments alone', '# 192.0.2.7\n', 'list: there is no address in it'],
    ['too many', '1.1.1.1\n'.repeat(200_001), 'it has 200001 entries; allowed: at most 200000'],
    ['two halves of IPv4', '0.0.0.0/1\n128.0.0.0/1', 'list: together its lines cover all IPv4'],
    ['two halves of IPv6', '::/1\n8000::/1', 'list: together its lines cover all IPv6 addresses'],
  ])('refuses %s, and names it', (_what, text, message) => {
    expect(() => parseAddressList(text, 'list')).toThrow(
      expect.objectContaining({ code: 'list-refused' }),
    );
    expect(() => parseAddressList(text, 'list')).toThrow(message);
  });

  test.each([
    ['leaves out a broken line, and names it', '192.0.2.7\noops\n', 'list:2: found "oops"'],
    [
      'names the first three, and counts the others',
      `${'192.0.2.7\n'.repeat(5)}a\nb\nc\nd\ne\n`,
      'list:8: found "c"; and 2 more',
    ],
  ])('of bad addresses %s', (_what, text, skipped) => {
    const list = parseAddressList(text, 'list', badListRules);
    expect(list.skipped).toContain(skipped);
    expect(listElements(list)).toEqual(['192.0.2.7', '']);
  });

  test.each([
    ['more broken lines than others', '192.0.2.7\n<html>\n<body>\n', 'list:2: found "<html>"'],
    ['no address', '# nothing\n', 'list: there is no address in it'],
    ['too many', '1.1.1.1\n'.repeat(100_001), 'it has 100001 entries; allowed: at most 100000'],
    ['two halves of IPv4', '0.0.0.0/1\n128.0.0.0/1', 'list: together its lines cover all IPv4'],
    ['one address more than half', '0.0.0.0/1\n192.0.2.7', 'cover more than half of all IPv4'],
    ['most of IPv6', '2400::/12\n2600::/12\n2a00::/12', 'cover most of the IPv6 addresses'],
    ['all public IPv6', '2000::/3', 'cover most of the IPv6 addresses that are in use'],
    [
      'more broken lines than it may have others, of which no more are read',
      `192.0.2.7\n${'2001:db8::1::\n'.repeat(150_000)}`,
      '; and at least 99998 more; allowed: an address or a prefix',
    ],
    [
      'too many of both families',
      `${'2001:db8::1\n'.repeat(100_002)}1.1.1.1\n`,
      'it has 100003 entries; allowed: at most 100000',
    ],
  ])('of bad addresses is refused with %s', (_what, text, message) => {
    expect(() => parseAddressList(text, 'list', badListRules)).toThrow(message);
  });

  test.each([
    ['half of all addresses, and not one more', '0.0.0.0/1', ['0.0.0.0/1', '']],
    [
      'what nobody has of IPv6, which is nearly all',
      '::/3\n4000::/2\n8000::/1\n3000::/4\n2000::/16\n2400::/13\n2600::/12',
      ['', '::/3, 2000::/16, 2400::/13, 2600::/12, 3000::/4, 4000::/2, 8000::/1'],
    ],
  ])('of bad addresses takes %s', (_what, text, elements) => {
    expect(listElements(parseAddressList(text, 'list', badListRules))).toEqual(elements);
  });

  test('takes everything where the owner writes it out', () => {
    const list = parseAddressList('0.0.0.0/1\n128.0.0.0/1', 'list', namedListRules);
    expect(listElements(list)).toEqual(['0.0.0.0/0', '']);
  });

  test('says nothing of lines left out where none was', () => {
    expect(parseAddressList('192.0.2.7', 'list', badListRules).skipped).toBeUndefined();
  });

  test('has a hash of its addresses, not of their spelling', () => {
    const hashOf = (text: string) => parseAddressList(text, 'list').hash;
    expect(hashOf('192.0.2.0/25\n192.0.2.128/25')).toBe(hashOf('# the same\n192.0.2.0/24'));
    expect(hashOf('192.0.2.0/25')).not.toBe(hashOf('192.0.2.0/24'));
  });

  test.each<readonly [string, (index: number) => string, readonly number[]]>([
    ['10,000 addresses', (index) => `20.${index >> 8}.${index & 255}.0`, [10_000, 2_000]],
    [
      '4,000 prefixes of several lengths',
      (index) => {
        const [kind, block] = [(index / 2) % 14, Math.floor(index / 28)];
        const host = block * 2 ** (kind + 1);
        return `${20 + kind}.${host >> 16}.${(host >> 8) & 255}.${host & 255}/${32 - kind}`;
      },
      [4_000, 4_000, 4_000],
    ],
    [
      '2,500 of IPv6',
      (index) => `2001:db8:${index.toString(16)}::/48`,
      [2_500, 2_500, 2_500, 2_500, 2_000],
    ],
  ])('is cut into pieces of %s', (_claim, toEntry, pieces) => {
    const text = Array.from({ length: 12_000 }, (_, index) => toEntry(2 * index)).join('\n');
    const { sets } = parseAddressList(text, 'list');
    const [set] = sets;
    expect(set?.chunks.map((piece) => piece.split(', ').length)).toEqual(pieces);
    expect(set?.size).toBe(pieces.reduce((sum, piece) => sum + piece));
  });

  test('has a set for each length of a thousand prefixes, and one for all others', () => {
    const many = (count: number, toEntry: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => toEntry(index));
    const entries = [
      ...many(1500, (index) => `20.${index >> 6}.${(index & 63) * 4}.0/24`),
      ...many(1000, (index) => `30.${index >> 6}.0.${(index & 63) * 4 + 1}`),
      ...many(999, (index) => `40.${index >> 5}.${(index & 31) * 8}.0/23`),
      '50.0.0.0/8',
    ];
    const list = parseAddressList(entries.join('\n'), 'list');
    expect(list.sets.map(({ length, size }) => [length, size])).toEqual([
      [24, 1500],
      [32, 1000],
      [undefined, 1000],
    ]);
    expect(
      listPrefixes(list, 4)
        .map((text) => text.replace('/32', ''))
        .sort(),
    ).toEqual(entries.sort());
    const [, , others] = list.sets;
    expect(others?.chunks.join()).toContain('50.0.0.0/8');
  });

  test('has a set for the eight commonest lengths at most', () => {
    const entries = Array.from({ length: 11 }, (_, kind) =>
      Array.from(
        { length: 1000 + kind },
        (_, index) => `${20 + kind}.${index >> 5}.${(index & 31) * 8}.0/${32 - kind}`,
      ),
    );
    const lengths = parseAddressList(entries.flat().join('\n'), 'list').sets.map(
      ({ length }) => length,
    );
    expect(lengths).toEqual([22, 23, 24, 25, 26, 27, 28, 29, undefined]);
  });

  test('covers what was given, exactly, in as few prefixes as possible, of which no two meet', () => {
    const given = fc.array(
      arbitraryPrefix.filter(({ length }) => length > 0),
      { minLength: 1, maxLength: 20 },
    );
    assertLaw(given, (models) => {
      const list = parseAddressList(models.map(toPrefixText).join('\n'), 'list', namedListRules);
      for (const family of [4, 6] as const) {
        const own = models.filter((model) => model.family === family);
        const ranges = listPrefixes(list, family).map((text) => toEnds(text, family));
        const pairs = ranges
          .slice(1)
          .map((range, index) => [ranges[index] ?? range, range] as const);
        expect(pairs.every(([before, { first }]) => first > before.last)).toBe(true);
        const isOnePrefix = ([low, high]: (typeof pairs)[number]) => {
          const size = low.last - low.first + 1n;
          return (
            high.first === low.last + 1n &&
            high.last - high.first + 1n === size &&
            low.first % (size * 2n) === 0n
          );
        };
        expect(pairs.some(isOnePrefix)).toBe(false);
        const width = family === 4 ? 32 : 128;
        const edges = own.flatMap(({ value, length }) => {
          const hostBits = BigInt(width - length);
          const first = (value >> hostBits) << hostBits;
          return [
            first - 1n,
            first,
            value,
            first + (1n << hostBits) - 1n,
            first + (1n << hostBits),
          ];
        });
        for (const edge of edges.filter((value) => value >= 0n && value < 1n << BigInt(width))) {
          const address = { family, value: edge, length: width, spelling: 'long' as const };
          const isGiven = own.some((model) => isInsideModel(address, model));
          expect(ranges.some(({ first, last }) => first <= edge && edge <= last)).toBe(isGiven);
        }
      }
    });
  });
});

/** First and last address of an element. */
function toEnds(text: string, family: 4 | 6): { readonly first: bigint; readonly last: bigint } {
  const [address = '', length] = text.split('/');
  const first = parseValue(address);
  const hostBits = BigInt((family === 4 ? 32 : 128) - Number(length ?? (family === 4 ? 32 : 128)));
  return { first, last: first + (1n << hostBits) - 1n };
}

describe('a file of addresses', () => {
  const makeFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-list-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };

  test('is read, whatever its comments are written in', async () => {
    const path = join(await makeFolder(), 'list.txt');
    await writeFile(path, Buffer.from('# gr\u00fc\u00df dich\n192.0.2.7\n', 'latin1'));
    expect(listElements(await readAddressList(path))).toEqual(['192.0.2.7', '']);
  });

  test('has others wait for a thousand of its lines at most', async () => {
    const path = join(await makeFolder(), 'list.txt');
    const lines = 100_000;
    await writeFile(path, '2001:db8::1::\n'.repeat(lines));
    let [turns, isOver] = [0, false];
    const takeTurn = () => {
      turns += 1;
      if (!isOver) setImmediate(takeTurn);
    };
    takeTurn();
    await expect(readAddressList(path)).rejects.toThrow('and 99997 more');
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(lines / 1_000);
  });

  test.each<readonly [string, (path: string) => Promise<void>, string]>([
    ['is not there', async () => undefined, 'there is no such file'],
    [
      'is larger than 8 MiB',
      (path) => writeFile(path, Buffer.alloc(8 * 1024 ** 2 + 1, '#')),
      'larger than 8 MiB',
    ],
    [
      'is a pipe, which nobody writes to',
      async (path) => void execFileSync('mkfifo', [path]),
      'no regular file',
    ],
    ['is a folder', async (path) => void execFileSync('mkdir', [path]), 'no regular file'],
    ['has a broken line', (path) => writeFile(path, '192.0.2.7\nx'), ':2: found "x"'],
  ])('that %s is refused by name', async (_claim, make, why) => {
    const path = join(await makeFolder(), 'list.txt');
    await make(path);
    const error = await readAddressList(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'list-refused', message: expect.stringContaining(why) });
    expect(error).toMatchObject({ message: expect.stringContaining(path) });
  });
});
