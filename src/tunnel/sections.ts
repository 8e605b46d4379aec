import { TributaryError } from '../lib/errors.ts';

/** Values by the key's usual spelling, in the order given. */
export type Section = ReadonlyMap<string, readonly string[]>;

const textLimit = 16 * 1024;
const interfaceKeys = ['PrivateKey', 'Address', 'DNS', 'MTU', 'ListenPort'];
const peerKeys = ['PublicKey', 'PresharedKey', 'Endpoint', 'AllowedIPs', 'PersistentKeepalive'];
const hooks = ['preup', 'postup', 'predown', 'postdown', 'saveconfig', 'table', 'fwmark'];

/** Takes a wg-quick text apart: one [Interface], one [Peer], known keys only. @throws wireguard-text-refused */
export function readSections(text: string): { readonly interfaceSection: Section; readonly peerSection: Section } {
  if (text.length > textLimit) refuse(`it is longer than ${textLimit / 1024} KiB`);
  if (/[^\t\r\n\x20-\x7e]/.test(text)) refuse('it holds characters that no WireGuard configuration has');
  const found = new Map<string, Map<string, string[]>>();
  let name: string | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/#.*$/, '').trim();
    if (line === '') continue;
    const header = /^\[(\w+)\]$/.exec(line)?.[1]?.toLowerCase();
    if (header !== undefined) openSection(found, header);
    else addLine(found.get(name ?? '') ?? refuse('it has a line before its first section'), line, name);
    name = header ?? name;
  }
  const interfaceSection = found.get('interface') ?? refuse('it has no [Interface]');
  const peerSection = found.get('peer') ?? refuse('it has no [Peer]');
  return { interfaceSection, peerSection };
}

function openSection(found: Map<string, Map<string, string[]>>, name: string): void {
  if (name !== 'interface' && name !== 'peer') refuse('it has a section that is neither [Interface] nor [Peer]');
  if (found.has(name)) refuse(`it has more than one [${name === 'peer' ? 'Peer' : 'Interface'}]`);
  found.set(name, new Map());
}

function addLine(values: Map<string, string[]>, line: string, name: string | undefined): void {
  const match = /^([A-Za-z]+)\s*=\s*(.*)$/.exec(line);
  const given = match?.[1] ?? refuse('it has a line that is not KEY = VALUE');
  const value = match?.[2] ?? '';
  const known = name === 'interface' ? interfaceKeys : peerKeys;
  const key = known.find((name) => name.toLowerCase() === given.toLowerCase());
  if (key === undefined) {
    // Cut short: a private key in the wrong place must not be shown whole.
    if (!hooks.includes(given.toLowerCase())) refuse(`it has the unknown key ${given.slice(0, 20)}`);
    refuse(`it has ${given}, which would change this device; such keys are never taken`);
  }
  if (!/^[A-Za-z0-9+/=.:,_[\]\s-]*$/.test(value)) refuse(`its ${key} holds characters that no such value has`);
  values.set(key, [...(values.get(key) ?? []), value]);
}

/** Ends the reading of an issued text, with the rule that it breaks. @throws wireguard-text-refused */
export function refuse(why: string): never {
  const message = `the WireGuard configuration that the service issued is refused: ${why}`;
  throw new TributaryError('wireguard-text-refused', message);
}
