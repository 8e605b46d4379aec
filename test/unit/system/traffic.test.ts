import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHardwareReader, readCarried } from '../../../src/system/traffic.ts';
import { makeDirectory } from '../../make-directory.ts';

const header = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;
const loopback =
  '    lo:  100      2    0    0    0     0          0         0      100       2    0    0    0     0       0          0\n';
const tunnel =
  'tunnel0: 1000     20    0    0    0     0          0         0     3000      40    0    0    0     0       0          0\n';

function write(text: string): string {
  const path = join(makeDirectory(), 'dev');
  writeFileSync(path, text);
  return path;
}

describe('what an interface carried', () => {
  test('is read from the kernel’s table', () => {
    const path = write(header + loopback + tunnel);
    expect(readCarried('tunnel0', path)).toEqual({ rxBytes: 1000, txBytes: 3000, packets: 60 });
    expect(readCarried('lo', path)).toEqual({ rxBytes: 100, txBytes: 100, packets: 4 });
  });

  test('is read where the first number touches the name', () => {
    const path = write(header + tunnel.replace(': 1000', ':1000'));
    expect(readCarried('tunnel0', path)).toMatchObject({ rxBytes: 1000 });
  });

  test('is read from this machine’s own table', () => {
    expect(readCarried('lo')).toMatchObject({
      rxBytes: expect.any(Number),
      packets: expect.any(Number),
    });
  });

  test.each([
    ['without the interface', header + loopback],
    ['of another that begins alike', header + tunnel.replace('tunnel0', 'tunnel01')],
    ['that is empty', ''],
    ['with a word for a number', header + tunnel.replace('3000', 'many')],
    ['with a word for a count of packets', header + tunnel.replace('  20', 'few')],
    ['that ends in the middle of the line', (header + tunnel).slice(0, header.length + 60)],
    ['with nothing behind the name', `${header}tunnel0:\n`],
    ['with a number that no one can count', header + tunnel.replace('3000', '9'.repeat(20))],
  ])('is not known from a table %s', (_, text) => {
    expect(readCarried('tunnel0', write(text))).toBeUndefined();
  });

  test('is not known without a table', () => {
    expect(readCarried('tunnel0', join(makeDirectory(), 'nothing'))).toBeUndefined();
  });

  test('is whole numbers or nothing, whatever the table says', () => {
    const path = write('');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat().map(String), fc.string({ maxLength: 4 })), { maxLength: 20 }),
        (said) => {
          writeFileSync(path, `${header}tunnel0: ${said.join(' ')}\n`);
          const carried = readCarried('tunnel0', path);
          if (carried !== undefined)
            expect(Object.values(carried).every(Number.isSafeInteger)).toBe(true);
        },
      ),
    );
  });
});

describe('what the machine’s network cards carried', () => {
  interface Card {
    readonly isHardware?: boolean;
    readonly rx?: string;
    readonly tx?: string;
  }
  const makeCards = (cards: Readonly<Record<string, Card>>) => {
    const directory = makeDirectory();
    for (const [name, { isHardware = true, rx = '0\n', tx = '0\n' }] of Object.entries(cards)) {
      mkdirSync(join(directory, name, 'statistics'), { recursive: true });
      writeFileSync(join(directory, name, 'statistics/rx_bytes'), rx);
      writeFileSync(join(directory, name, 'statistics/tx_bytes'), tx);
      if (!isHardware) continue;
      mkdirSync(join(directory, name, 'device'));
      writeFileSync(join(directory, name, 'device/uevent'), 'DRIVER=e1000e\n');
    }
    return directory;
  };

  test('is the sum of all that have a device behind them, and of no tunnel or bridge', () => {
    const directory = makeCards({
      eth0: { rx: '1000\n', tx: '500\n' },
      wlan0: { rx: '20\n', tx: '3\n' },
      tunnel0: { isHardware: false, rx: '900000\n', tx: '900000\n' },
    });
    expect(createHardwareReader(directory)()).toBe(1523);
  });

  test.each([
    ['there is none', () => makeCards({ lo: { isHardware: false } })],
    ['there is no such directory', () => join(makeDirectory(), 'nothing')],
    ['none of them says a number', () => makeCards({ eth0: { rx: 'many\n' } })],
  ])('is not known where %s', (_, make) => {
    expect(createHardwareReader(make())()).toBeUndefined();
  });

  test('leaves out one that says no number', () => {
    expect(createHardwareReader(makeCards({ eth0: { rx: '7\n' }, eth1: { tx: '-\n' } }))()).toBe(7);
  });

  test('counts a card that was put in within a minute, and none that was pulled out', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const directory = makeCards({ eth0: { rx: '7\n' } });
    const read = createHardwareReader(directory);
    expect(read()).toBe(7);
    renameSync(join(makeCards({ wlan0: { rx: '20\n' } }), 'wlan0'), join(directory, 'wlan0'));
    vi.advanceTimersByTime(60_000);
    expect(read()).toBe(27);
    rmSync(join(directory, 'eth0'), { recursive: true });
    expect(read()).toBe(20);
  });
});
