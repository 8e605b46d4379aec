import { type KeyObject, sign } from 'node:crypto';

/**
 * A certificate for a P-256 key that vouches for itself, in PEM form: peers look for its bytes
 * among those that were published, and ask nobody else about it. It is valid for as long as the
 * form of its times can say, so that a board without a clock makes a good one. Node reads
 * certificates and makes none, and the packages that make them bring a dozen others along.
 */
export function makeCertificate(
  name: string,
  of: { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly serial: Buffer },
): string {
  const subject = sequence(set(sequence(oid(oids.commonName), tagged(utf8Tag, Buffer.from(name)))));
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([versionThree]))),
    integer(of.serial),
    sequence(oid(oids.ecdsaWithSha256)),
    subject,
    sequence(tagged(utcTimeTag, Buffer.from(from)), tagged(utcTimeTag, Buffer.from(until))),
    subject,
    of.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(name))),
  );
  const der = sequence(
    content,
    sequence(oid(oids.ecdsaWithSha256)),
    bits(sign('sha256', content, of.privateKey)),
  );
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const versionThree = 2;
const from = '250101000000Z';
/** The last year of this form of time. */
const until = '491231235959Z';
const utf8Tag = 0x0c;
const utcTimeTag = 0x17;
/** A name of a host, among the names of the subject. */
const dnsNameTag = 0x82;
/** Object identifiers, encoded. */
const oids = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  subjectAltName: '551d11',
  serverAuth: '2b06010505070301',
  clientAuth: '2b06010505070302',
};
/** Of eight bits, the first alone, and so seven unused: digital signatures. */
const digitalSignature = Buffer.from([7, 0x80]);
const critical = Buffer.from([1, 1, 0xff]);

function extensions(name: string): readonly Buffer[] {
  const usage = tagged(3, digitalSignature);
  const purposes = sequence(oid(oids.serverAuth), oid(oids.clientAuth));
  const names = sequence(tagged(dnsNameTag, Buffer.from(name)));
  return [
    sequence(oid(oids.keyUsage), critical, tagged(4, usage)),
    sequence(oid(oids.extendedKeyUsage), tagged(4, purposes)),
    sequence(oid(oids.subjectAltName), tagged(4, names)),
  ];
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return tagged(0x31, part);
}

function oid(hex: string): Buffer {
  return tagged(6, Buffer.from(hex, 'hex'));
}

function integer(bytes: Buffer): Buffer {
  return tagged(2, bytes);
}

function bits(bytes: Buffer): Buffer {
  return tagged(3, Buffer.concat([Buffer.from([0]), bytes]));
}
