/** A text to scan with a camera. */
export interface QrRequest {
  readonly text: string;
  /** Of the terminal; undefined for a pipe. */
  readonly columns: number | undefined;
  /** True for `--qr`, false for `--no-qr`; undefined: at a terminal that has room for it. */
  readonly isWanted: boolean | undefined;
}

/** More than this would be too fine to be read from a screen. */
const mostBytes = 1000;
const indent = '  ';

/** The QR code below an empty line, as far as it is wanted; '' where it is not. */
export async function renderQrCode({ text, columns, isWanted }: QrRequest): Promise<string> {
  if (!(isWanted ?? columns !== undefined)) return '';
  const lines = await drawLines(text);
  const width = lines?.[0]?.length;
  if (lines !== undefined && width !== undefined && width <= (columns ?? width)) {
    return ['', ...lines].map((line) => `${line}\n`).join('');
  }
  if (isWanted !== true) return '';
  const why = width === undefined ? 'The code is too long for a QR code' : `The QR code needs ${width} columns`;
  return `\n${why}: show it as text.\n`;
}

/** Lines of block characters with a margin, indented; undefined for a text too long. */
async function drawLines(text: string): Promise<readonly string[] | undefined> {
  if (Buffer.byteLength(text) > mostBytes) return undefined;
  const { renderUnicodeCompact } = await import('uqr');
  return renderUnicodeCompact(text, { border: 2 })
    .split('\n')
    .map((line) => `${indent}${line}`);
}
