/**
 * A host's name in lower case and without the dot of the root (`nas.lan.`); undefined for text that
 * is no host name.
 */
export function toHostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '');
  return name.length <= 253 && /^(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*$/.test(name)
    ? name
    : undefined;
}
