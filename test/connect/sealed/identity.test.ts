import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  certificateName,
  hasSigned,
  loadIdentity,
  makeIdentity,
  toPublication,
} from '../../../src/connect/sealed/identity.ts';
import {
  clientKey,
  controlKinds,
  encryptedControl,
  encryptedKey,
  sessionRoles,
} from '../../../src/connect/wire/encrypted-control.ts';
import { toId } from '../../../src/connect/wire/id.ts';
import { decode, encode } from '../../../src/connect/wire/message.ts';
import vectors from './vectors.json' with { type: 'json' };

const fromHex = (hex: string): Buffer => Buffer.from(hex, 'hex');
const { identity: keys, certificate, exporter, publish, encrypted_control: controls } = vectors;
const loadServer = () =>
  loadIdentity({
    ...makeIdentity(randomBytes),
    seed: keys.server_seed,
    certificate: certificate.pem,
  });

test('a seed gives the public key, the proofs and the signature that the network’s own program gives', () => {
  const exported = fromHex(exporter.proof_exporter);
  const server = loadServer();
  const client = loadIdentity({ ...makeIdentity(randomBytes), seed: keys.client_seed });
  expect(server.publicKey).toEqual(fromHex(keys.server_public));
  expect(client.publicKey).toEqual(fromHex(keys.client_public));
  expect(server.sign(exported)).toEqual(fromHex(keys.server_proof));
  expect(client.sign(exported)).toEqual(fromHex(keys.client_proof));
  expect(toPublication(server).encryptedKey.signature).toEqual(
    fromHex(certificate.signature_by_server_seed),
  );
});

test('what is published is written as the network’s own program writes it', () => {
  const published = toPublication(loadServer());
  expect(encode(clientKey, published.clientKey)).toEqual(fromHex(publish.client_key));
  expect(encode(encryptedKey, published.encryptedKey)).toEqual(fromHex(publish.encrypted_key));
  expect(decode(encryptedKey, fromHex(publish.encrypted_key)).certificates).toEqual([
    Buffer.from(certificate.pem),
  ]);
});

test('controls are written as the network’s own program writes them', () => {
  const epochId = toId(fromHex(controls.epoch_id));
  const { client, server } = sessionRoles;
  const none = { payload: Buffer.alloc(0), isCompanion: false, epochId: undefined };
  const nack = { ...none, kind: controlKinds.nack, role: server };
  const proof = { ...none, kind: controlKinds.proof, epochId };
  const rows = [
    [controls.nack_no_epoch, nack],
    [controls.nack_epoch, { ...nack, isCompanion: true, epochId }],
    [controls.proof_client, { ...proof, role: client, payload: fromHex(keys.client_proof) }],
    [
      controls.proof_server_companion,
      { ...proof, role: server, isCompanion: true, payload: fromHex(keys.server_proof) },
    ],
  ] as const;
  for (const [hex, control] of rows) {
    const bytes = fromHex(hex);
    // Field by field: the vectors say what is in them.
    expect(decode(encryptedControl, bytes)).toMatchObject({ kind: control.kind });
    expect(encode(encryptedControl, decode(encryptedControl, bytes))).toEqual(bytes);
  }
  expect(decode(encryptedControl, fromHex(controls.proof_client))).toEqual(rows[2][1]);
  expect(decode(encryptedControl, fromHex(controls.nack_no_epoch)).epochId).toBeUndefined();
});

test('a proof is good for its own key and its own handshake alone', () => {
  const [one, other] = [loadIdentity(makeIdentity(randomBytes)), loadServer()];
  const bytes = randomBytes(32);
  const signature = one.sign(bytes);
  expect(hasSigned(one.publicKey, { bytes, signature })).toBe(true);
  expect(hasSigned(other.publicKey, { bytes, signature })).toBe(false);
  expect(hasSigned(one.publicKey, { bytes: randomBytes(32), signature })).toBe(false);
  expect(hasSigned(one.publicKey, { bytes, signature: randomBytes(64) })).toBe(false);
  expect(hasSigned(Buffer.alloc(5), { bytes, signature })).toBe(false);
});

test('a certificate that was made is read by others: its name, its purposes, its own signature', () => {
  for (let made = 0; made < 20; made++) {
    const { certificate: pem } = makeIdentity(randomBytes);
    const read = new X509Certificate(pem);
    expect(read.subject).toBe(`CN=${certificateName}`);
    expect(read.subjectAltName).toBe(`DNS:${certificateName}`);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(read.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(BigInt(`0x${read.serialNumber}`)).toBeGreaterThan(0n);
    expect(Date.parse(read.validTo)).toBeGreaterThan(Date.parse('2049-12-01'));
    // What is published is compared byte by byte with what a handshake shows.
    const again = `-----BEGIN CERTIFICATE-----\n${read.raw
      .toString('base64')
      .replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
    expect(again).toBe(pem);
  }
});

test('two identities have nothing in common', () => {
  const [one, other] = [makeIdentity(randomBytes), makeIdentity(randomBytes)];
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  for (const part of ['seed', 'certificate', 'certificateKey'] as const)
    expect(hash(one[part])).not.toBe(hash(other[part]));
});
