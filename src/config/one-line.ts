/**
 * The entries of a list as an owner types it in one line, `25, tcp/6660-6669`; undefined where the
 * text is a list of JSON or YAML itself.
 */
export function splitList(text: string): readonly (number | string)[] | undefined {
  const line = text.trim();
  if (/^\[|\n/.test(line)) return undefined;
  return line === '' ? [] : line.split(',').map((part) => parseNumber(part.trim()));
}

export function parseNumber(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}
