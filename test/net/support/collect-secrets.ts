import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every secret in a state directory, by where it lies: tokens, and the keys of WireGuard texts. */
export async function collectSecrets(directory: string): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>();
  const entries = await readdir(directory, { withFileTypes: true });
  // No figure of the ledger's folder is a secret.
  for (const { name } of entries.filter((entry) => entry.isFile())) {
    const text = await readFile(join(directory, name), 'utf8');
    for (const [, key = '', value = ''] of text.matchAll(
      /(PrivateKey|PresharedKey) = ([A-Za-z0-9+/=]{44})/g,
    )) {
      secrets.set(`${name} ${key}`, value);
    }
    if (name.endsWith('.json'))
      collect(name, (JSON.parse(text) as { readonly data: unknown }).data, secrets);
  }
  return secrets;
}

function collect(place: string, value: unknown, secrets: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isSecret = /token|jwt|privateKey/i.test(key) && typeof inner === 'string';
    if (isSecret) secrets.set(`${place} ${key}`, inner);
    else collect(`${place} ${key}`, inner, secrets);
  }
}
