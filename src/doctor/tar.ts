export interface Member {
  readonly name: string;
  readonly text: string;
}

const blockBytes = 512;

/** A tar archive (ustar) of private files, named by at most 100 ASCII letters each. */
export function packTar(members: readonly Member[], at: Date): Uint8Array {
  const files = members.flatMap(({ name, text }) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
    return [renderHeader(name, content.length, at), content, padding];
  });
  return Buffer.concat([...files, Buffer.alloc(2 * blockBytes)]);
}

function renderHeader(name: string, bytes: number, at: Date): Buffer {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const numbers = [octal(0o600, 7), octal(0, 7), octal(0, 7), octal(bytes, 11)].join('');
  const seconds = octal(Math.max(0, Math.floor(at.getTime() / 1000)), 11);
  const header = Buffer.alloc(blockBytes);
  // The checksum, in place of the blanks, counts itself as blanks.
  header.write(`${name.padEnd(100, '\0')}${numbers}${seconds}${' '.repeat(8)}0`);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}
