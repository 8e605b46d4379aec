import { randomBytes } from 'node:crypto';
import { askByDatagram } from './datagram.ts';

/*
 * Asks a router for its public IPv4 address: by NAT-PMP (RFC 6886, opcode 0), which changes
 * nothing, and by PCP (RFC 6887) for routers that speak only PCP. PCP tells the address only
 * together with a mapping. The mapping is made for the port that asks, which no other program can
 * have, and is removed at once.
 */

const port = 5351;
const waitsMs = [250, 500, 1000];
const mappingSeconds = 120;

/** The router's public address; undefined if it does not tell. It is outside input: any 32 bits. */
export async function askRouterForAddress(
  router: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const question = { host: router, port, waitsMs };
  const first = { ...question, request: () => Buffer.from([0, 0]), decode: decodeNatPmpAnswer };
  const said = await askByDatagram(first, signal);
  if (said !== 'speaks-pcp') return said?.address;
  const nonce = randomBytes(12);
  const decode = (bytes: Buffer) => decodePcpAnswer(bytes, nonce);
  let asked: PcpMapping | undefined;
  const request = (from: Pick<PcpMapping, 'address' | 'port'>) => {
    asked = { nonce, ...from, seconds: mappingSeconds };
    return encodePcpRequest(asked);
  };
  const mapped = await askByDatagram({ ...question, request, decode }, signal);
  if (asked !== undefined) {
    const giveBack = encodePcpRequest({ ...asked, seconds: 0 });
    await askByDatagram({ ...question, waitsMs: [250], request: () => giveBack, decode }, signal);
  }
  return mapped?.address;
}

/** Reads an answer to opcode 0; `speaks-pcp` says that the router no longer knows this version. */
export function decodeNatPmpAnswer(
  bytes: Buffer,
): { readonly address: string | undefined } | 'speaks-pcp' | undefined {
  if (bytes.length >= 4 && bytes[0] === 2) return 'speaks-pcp';
  if (bytes.length < 4 || bytes[0] !== 0 || bytes[1] !== 128) return undefined;
  if (bytes.readUInt16BE(2) !== 0 || bytes.length < 12) return { address: undefined };
  return { address: bytes.subarray(8, 12).join('.') };
}

interface PcpMapping {
  /** 12 bytes that the answer has to repeat. */
  readonly nonce: Buffer;
  readonly address: string;
  readonly port: number;
  /** How long the mapping lasts; 0 removes it. */
  readonly seconds: number;
}

const udp = 17;
const mapLength = 60;

export function encodePcpRequest({
  nonce,
  address,
  port: internalPort,
  seconds,
}: PcpMapping): Buffer {
  const bytes = Buffer.alloc(mapLength);
  bytes.set([2, 1]);
  bytes.writeUInt32BE(seconds, 4);
  // An IPv4 address is sent as an IPv4-mapped IPv6 address.
  bytes.set([0xff, 0xff, ...address.split('.').map(Number)], 18);
  bytes.set(nonce, 24);
  bytes[36] = udp;
  bytes.writeUInt16BE(internalPort, 40);
  bytes.set([0xff, 0xff], 54);
  return bytes;
}

/**
 * Reads an answer; undefined if it does not answer this request. Its `address` is undefined where
 * the router refuses.
 */
export function decodePcpAnswer(
  bytes: Buffer,
  nonce: Buffer,
): { readonly address: string | undefined } | undefined {
  if (bytes.length < 4 || bytes[0] !== 2 || bytes[1] !== 129) return undefined;
  if (bytes.length < mapLength) return bytes[3] === 0 ? undefined : { address: undefined };
  if (!bytes.subarray(24, 36).equals(nonce)) return undefined;
  const isIpv4 = bytes.subarray(44, 56).equals(Buffer.from('00000000000000000000ffff', 'hex'));
  return { address: bytes[3] === 0 && isIpv4 ? bytes.subarray(56, 60).join('.') : undefined };
}
