import type { DatabaseSync } from 'node:sqlite';
import type { ClientKey, EncryptedKey } from '../../connect/wire/encrypted-control.ts';
import { queryOn } from '../statements.ts';

/** Public keys of clients and the certificates that they show, for all who ask for a client. */
export interface ClientKeys {
  /** Takes the place of the one before. */
  publishKey(clientId: string, key: ClientKey): void;
  publishCertificates(clientId: string, key: EncryptedKey): void;
  find(clientId: string): PublishedKeys;
}

/** What is undefined was not published. */
interface PublishedKeys {
  readonly publicKey: Buffer | undefined;
  readonly certificates: Buffer | undefined;
  readonly signature: Buffer | undefined;
}

export function createClientKeys(database: DatabaseSync): ClientKeys {
  const { run, findRow } = queryOn(database);
  const toBytes = (text: string | null | undefined): Buffer | undefined =>
    text == null ? undefined : Buffer.from(text, 'base64');
  return {
    publishKey(clientId, { publicKey }) {
      const text = publicKey.toString('base64');
      run`insert into client_key (client_id, public_key) values (${clientId}, ${text})
        on conflict do update set public_key = ${text}`;
    },
    publishCertificates(clientId, { certificates, signature }) {
      const text = Buffer.concat(certificates).toString('base64');
      const signed = signature.toString('base64');
      run`insert into client_key (client_id, certificates, signature)
        values (${clientId}, ${text}, ${signed})
        on conflict do update set certificates = ${text}, signature = ${signed}`;
    },
    find(clientId) {
      const row = findRow<{
        readonly publicKey: string | null;
        readonly certificates: string | null;
        readonly signature: string | null;
      }>`select public_key as publicKey, certificates, signature from client_key
        where client_id = ${clientId}`;
      return {
        publicKey: toBytes(row?.publicKey),
        certificates: toBytes(row?.certificates),
        signature: toBytes(row?.signature),
      };
    },
  };
}
