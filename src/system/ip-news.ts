/**
 * Whether a line of `ip -o monitor` says anything new. A lifetime that began again is not new:
 * routers renew them all the time.
 */
export function createIpNews(): (line: string) => boolean {
  const known = new Map<string, string>();
  return (line) => {
    const isGone = line.includes('Deleted ');
    const text = line
      .replace('Deleted ', '')
      .replace(/ (?:expires|valid_lft|preferred_lft) \S+/g, '');
    const subject = toSubject(text);
    if (!isGone && known.get(subject) === text) return false;
    if (isGone) known.delete(subject);
    else known.set(subject, text);
    // No device at home has so many. Forgetting costs no more than asking once too often.
    if (known.size > 2_000) known.clear();
    return true;
  };
}

/** What a line is about: a link, an address on a link, or a route to somewhere in a table. */
function toSubject(text: string): string {
  const onLink = /^\[(?:LINK|ADDR)\]\d+: \S+(?: +inet6? \S+)?/.exec(text)?.[0];
  return onLink ?? text.replace(/ (?:via|dev|proto|src|nexthop) \S+/g, '');
}
