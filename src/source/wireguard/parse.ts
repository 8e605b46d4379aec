import { isIP, isIPv4 } from 'node:net';
import { TributaryError } from '../../errors/codes.ts';
import type { IssuedTunnel } from '../../identity/registration-files.ts';
import { isInAny, parsePrefix, privatePrefixes, toNetwork } from '../../lib/addresses.ts';
import { Secret } from '../../lib/secret.ts';
import { isWireGuardKey, toPublicKey } from '../../system/wireguard-keys.ts';
import { findEndpointFault, type ServiceContext } from './endpoint.ts';
import type { Endpoint, TunnelSpec } from './state.ts';

const hostName =
  /^(?=.{1,253}$)([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
/** Resolvers read such a name as an IPv4 address in an older spelling: `0x7f.1`, `2130706433`. */
const numericEnd = /(^|\.)(\d+|0x[\da-f]*)$/i;

/**
 * Parses the issued text. Only known keys and values are accepted, and it has to agree with the
 * fields beside it.
 * @throws wireguard-text-refused, which names only the broken rule
 */
export function parseIssuedTunnel(issued: IssuedTunnel, context: ServiceContext): TunnelSpec {
  const { interfaceSection, peerSection } = readSections(issued.text.reveal());
  const privateKey = new Secret(readKey(interfaceSection, 'PrivateKey'));
  const spec: TunnelSpec = {
    privateKey,
    publicKey: toPublicKey(privateKey),
    addresses: readAddresses(interfaceSection),
    mtu: readWholeNumber(interfaceSection, 'MTU', [1280, 1500]),
    peer: {
      publicKey: readKey(peerSection, 'PublicKey'),
      presharedKey: readPresharedKey(peerSection),
      endpoint: readEndpoint(peerSection, context),
      allowedIps: readAllowedIps(peerSection),
      persistentKeepaliveSeconds: readWholeNumber(peerSection, 'PersistentKeepalive', [0, 65_535]),
    },
  };
  // wg leaves out a peer that has the interface's own key, so the tunnel would never become as
  // wanted.
  if (spec.peer.publicKey === spec.publicKey) refuse('its peer is this device itself');
  checkAgainstFields(spec, issued);
  return spec;
}

function single(section: Section, key: string): string | undefined {
  const values = section.get(key) ?? [];
  return values.length > 1 ? refuse(`${key} is given ${values.length} times`) : values[0];
}

function readKey(section: Section, key: string): string {
  const value = single(section, key);
  if (value === undefined) return refuse(`it has no ${key}`);
  return isWireGuardKey(value) ? value : refuse(`its ${key} is not a WireGuard key`);
}

/** Zeros, which wg takes for no key. Tools that write every line write them. */
const noKey = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

function readPresharedKey(section: Section): Secret | undefined {
  const value = single(section, 'PresharedKey');
  return value === undefined || value === noKey
    ? undefined
    : new Secret(readKey(section, 'PresharedKey'));
}

function readList(section: Section, key: string): readonly string[] {
  const items = (section.get(key) ?? [])
    .flatMap((value) => value.split(','))
    .map((item) => item.trim());
  if (items.length === 0) return refuse(`it has no ${key}`);
  return items.length <= 32
    ? items
    : refuse(`it has ${items.length} entries of ${key}, more than 32`);
}

/**
 * Every tunnel address is taken as a single one: a wide prefix would make a connected route beside
 * the gateway's rules.
 */
function readAddresses(
  section: Section,
): readonly { readonly family: 4 | 6; readonly address: string }[] {
  const own = readList(section, 'Address').map(
    (item) => toAddress(item) ?? refuse('its Address is not an IP address'),
  );
  // A public address would attract traffic that is meant for others.
  const foreign = own.find(
    (address) => !isInAny(address, [...privatePrefixes.v4, ...privatePrefixes.v6]),
  );
  if (foreign !== undefined) refuse(`its Address ${foreign} is not a private one`);
  return [...new Set(own)].map((address) => ({ family: isIPv4(address) ? 4 : 6, address }));
}

/** The address of a prefix in ip's spelling; another spelling would look like another address. */
function toAddress(text: string): string | undefined {
  const prefix = parsePrefix(text);
  if (prefix === undefined) return undefined;
  return toNetwork({ ...prefix, length: prefix.family === 4 ? 32 : 128 });
}

function readAllowedIps(section: Section): readonly string[] {
  return readList(section, 'AllowedIPs').map((item) =>
    parsePrefix(item) === undefined
      ? refuse('its AllowedIPs hold something that is not a prefix')
      : item,
  );
}

function readEndpoint(section: Section, context: ServiceContext): Endpoint {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(
    single(section, 'Endpoint') ?? '',
  );
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port < 1 || port > 65_535)
    return refuse('its Endpoint is not HOST:PORT');
  if (isIP(host) === 0 && (!hostName.test(host) || numericEnd.test(host))) {
    return refuse('its Endpoint names an impossible host');
  }
  const isLocalName = /(^|\.)localhost$/i.test(host) && !context.isServiceOnLoopback;
  const fault = isLocalName ? `${host} is this device itself` : findEndpointFault(host, context);
  return fault === undefined ? { host, port } : refuse(`its Endpoint ${fault}`);
}

function readWholeNumber(
  section: Section,
  key: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const text = single(section, key);
  const isOff = key === 'PersistentKeepalive' && text?.toLowerCase() === 'off';
  if (text === undefined || isOff) return undefined;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? value
    : refuse(`its ${key} is not a number from ${least} to ${most}`);
}

function checkAgainstFields(spec: TunnelSpec, issued: IssuedTunnel): void {
  const address = issued.address === undefined ? undefined : toAddress(issued.address);
  const differences = [
    issued.privateKey !== undefined &&
      !issued.privateKey.equals(spec.privateKey) &&
      'client_private_key',
    issued.publicKey !== undefined && issued.publicKey !== spec.publicKey && 'client_public_key',
    issued.proxyPublicKey !== undefined &&
      issued.proxyPublicKey !== spec.peer.publicKey &&
      'proxy_public_key',
    issued.address !== undefined &&
      !spec.addresses.some((own) => own.address === address) &&
      'client_ipv4',
    issued.proxyPort !== undefined &&
      issued.proxyPort !== spec.peer.endpoint.port &&
      'wg_proxy_port',
    issued.proxyHost !== undefined &&
      !isSameHost(issued.proxyHost, spec.peer.endpoint.host) &&
      'proxy_host',
  ].filter((difference) => difference !== false);
  if (differences.length > 0)
    refuse(`its text does not agree with ${differences.join(', ')} beside it`);
}

function isSameHost(one: string, other: string): boolean {
  const bare = (host: string) => host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  return bare(one) === bare(other);
}

/** Values by the key's usual spelling, in the order of the text. */
type Section = ReadonlyMap<string, readonly string[]>;

const textLimit = 16 * 1024;
const interfaceKeys = ['PrivateKey', 'Address', 'DNS', 'MTU', 'ListenPort'];
const peerKeys = ['PublicKey', 'PresharedKey', 'Endpoint', 'AllowedIPs', 'PersistentKeepalive'];
const hooks = ['preup', 'postup', 'predown', 'postdown', 'saveconfig', 'table', 'fwmark'];

/**
 * Takes a wg-quick text apart. It has to have one [Interface], one [Peer] and known keys only.
 * @throws wireguard-text-refused
 */
function readSections(text: string): {
  readonly interfaceSection: Section;
  readonly peerSection: Section;
} {
  if (text.length > textLimit) refuse(`it is longer than ${textLimit / 1024} KiB`);
  const found = new Map<string, Map<string, string[]>>();
  let name: string | undefined;
  for (const line of readLines(text)) {
    const header = /^\[(\w+)\]$/.exec(line)?.[1]?.toLowerCase();
    if (header !== undefined) openSection(found, header);
    else
      addLine(
        found.get(name ?? '') ?? refuse('it has a line before its first section'),
        line,
        name,
      );
    name = header ?? name;
  }
  const interfaceSection = found.get('interface') ?? refuse('it has no [Interface]');
  const peerSection = found.get('peer') ?? refuse('it has no [Peer]');
  return { interfaceSection, peerSection };
}

/** The lines that say something, without their comments, which may be in any language. */
function readLines(text: string): readonly string[] {
  // A comment with a sign in it that may be taken for the end of its line stays, and is refused.
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*$/, ''));
  if (lines.some((line) => /[^\t\r\x20-\x7e]/.test(line)))
    refuse('it holds characters that no WireGuard configuration has');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function openSection(found: Map<string, Map<string, string[]>>, name: string): void {
  if (name !== 'interface' && name !== 'peer')
    refuse('it has a section that is neither [Interface] nor [Peer]');
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
    // The key is quoted in part only, because a private key in the wrong place must not be shown.
    if (!hooks.includes(given.toLowerCase()))
      refuse(`it has the unknown key ${given.slice(0, 20)}`);
    refuse(`it has ${given}, which would change this device; such keys are never taken`);
  }
  if (!/^[A-Za-z0-9+/=.:,_[\]\s-]*$/.test(value))
    refuse(`its ${key} holds characters that no such value has`);
  values.set(key, [...(values.get(key) ?? []), value]);
}

/** Stops parsing an issued text with the rule that it breaks. @throws wireguard-text-refused */
function refuse(why: string): never {
  const message = `the WireGuard configuration that the service issued is refused: ${why}`;
  throw new TributaryError('wireguard-text-refused', message);
}
