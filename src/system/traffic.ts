import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an interface carried since it was made. */
export interface Carried {
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly packets: number;
}

/** An interface of this network namespace; undefined: there is none of this name. */
export async function readCarried(name: string, path = '/proc/self/net/dev'): Promise<Carried | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const line = text.split('\n').find((each) => each.trimStart().startsWith(`${name}:`));
  const counts =
    line
      ?.slice(line.indexOf(':') + 1)
      .trim()
      .split(/\s+/)
      .map(Number) ?? [];
  const [rxBytes = 0, rxPackets = 0, , , , , , , txBytes = 0, txPackets = 0] = counts;
  const carried = { rxBytes, txBytes, packets: rxPackets + txPackets };
  return counts.length >= 16 && Object.values(carried).every(Number.isSafeInteger) ? carried : undefined;
}

/** Bytes that the machine's network cards took and sent, as far as this process may see them; undefined: it sees none. */
export async function readHardwareBytes(directory = '/sys/class/net'): Promise<number | undefined> {
  const names = await readdir(directory).catch(() => []);
  const counts = await Promise.all(
    names.map(async (name) => {
      const read = (file: string) => readFile(join(directory, name, file), 'utf8').catch(() => '');
      const [device, rx, tx] = await Promise.all(
        ['device/uevent', 'statistics/rx_bytes', 'statistics/tx_bytes'].map(read),
      );
      return device === '' ? [] : [Number(rx) + Number(tx)];
    }),
  );
  const own = counts.flat().filter(Number.isSafeInteger);
  return own.length === 0 ? undefined : own.reduce((sum, bytes) => sum + bytes);
}
