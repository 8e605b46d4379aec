/** A file of an archive. */
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
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(Math.max(0, Math.floor(at.getTime() / 1000)), 11), 136);
  // The checksum counts itself as blanks.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
