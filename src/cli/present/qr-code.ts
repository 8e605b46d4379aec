interface QrRequest {
  readonly text: string;
  /** The terminal's width; undefined for a pipe. */
  readonly columns: number | undefined;
  /**
   * True for `--qr`, false for `--no-qr`; undefined to show it at a terminal that has room for it.
   */
  readonly isWanted: boolean | undefined;
}

/** A code with more bytes would be too fine to be read from a screen. */
const mostBytes = 1000;

/** The QR code after an empty line, indented and with a margin; '' where it is not wanted. */
export async function renderQrCode({ text, columns, isWanted }: QrRequest): Promise<string> {
  if (!(isWanted ?? columns !== undefined)) return '';
  const { renderUnicodeCompact } = await import('uqr');
  const code = Buffer.byteLength(text) > mostBytes ? '' : renderUnicodeCompact(text, { border: 2 });
  const lines = code.split('\n').map((line) => `  ${line}\n`);
  const width = (lines[0]?.length ?? 0) - 1;
  if (code !== '' && width <= (columns ?? width)) return `\n${lines.join('')}`;
  if (isWanted !== true) return '';
  const why =
    code === '' ? 'The code is too long for a QR code' : `The QR code needs ${width} columns`;
  return `\n${why}: show it as text.\n`;
}
