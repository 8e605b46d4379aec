/** An address with its path and query hidden: that of a webhook is often a secret itself. */
export function toHidden(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  const rest = `${parsed.pathname}${parsed.search}`;
  return `${parsed.protocol}//${parsed.host}${rest === '' || rest === '/' ? '' : '/…'}`;
}
