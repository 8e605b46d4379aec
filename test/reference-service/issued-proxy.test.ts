import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { servedProfiles } from '../../src/reference-service/profile.ts';
import { createKeyPair, createProxies } from '../../src/reference-service/proxies.ts';
import { renderTunnel, toWireProxy } from '../../src/reference-service/wire-proxy.ts';
import { makeDirectory } from '../make-directory.ts';

const tunnel = {
  address: '10.64.0.7',
  privateKey: new Secret('cHJpdmF0ZQ=='),
  publicKey: 'cHVibGlj',
};
const endpoint = {
  host: 'proxy.example',
  port: 51_820,
  publicKey: 'cHJveHk=',
  findProxyPort: () => undefined,
};
const proxy = { instanceId: 'instance', authToken: undefined, hasUrls: false, tunnel };

test('the text of a tunnel is written as production writes it', () => {
  expect(renderTunnel(endpoint, tunnel)).toBe(
    `[Interface]
PrivateKey = cHJpdmF0ZQ==
Address = 10.64.0.7/32
DNS = 1.1.1.1

[Peer]
PublicKey = cHJveHk=
Endpoint = proxy.example:51820
AllowedIPs = 0.0.0.0/0
PersistentKeepalive = 25`,
  );
});

test('an IPv6 endpoint stands in brackets', () => {
  expect(renderTunnel({ ...endpoint, host: '2001:db8::1' }, tunnel)).toContain(
    '\nEndpoint = [2001:db8::1]:51820\n',
  );
});

test.each([
  ['documented', '10.64.0.7/32'],
  ['production', '10.64.0.7'],
] as const)('the %s profile writes client_ipv4 as %s', (profile, address) => {
  expect(toWireProxy(servedProfiles[profile], endpoint, proxy).wg_config?.client_ipv4).toBe(
    address,
  );
});

test('a proxy without a tunnel has a null wg_config', () => {
  const without = { ...proxy, tunnel: undefined };
  expect(toWireProxy(servedProfiles.production, endpoint, without).wg_config).toBeNull();
});

test('no proxy is listed without the port of one', () => {
  const authToken = new Secret('token');
  const listed = (port: number | undefined) =>
    toWireProxy(
      servedProfiles.production,
      { ...endpoint, findProxyPort: () => port },
      { ...proxy, hasUrls: true, authToken },
    );
  expect(listed(1080)).toMatchObject({ http_proxy_url: 'http://proxy.example:1080' });
  expect(listed(undefined)).toMatchObject({ http_proxy_url: '', socks_proxy_url: '' });
});

test('a token says whose it is, and stays the same when it is asked for again', () => {
  using database = openDatabase(makeDirectory());
  const proxies = createProxies(database);
  const clients = createClients(database, proxies, () => 1);
  const { networkId } = createNetworks(database, () => 1).ensureFirst();
  const { clientId } = clients.create({
    ...{ networkId, description: '', deviceSpec: '', provideMode: 'none' },
    proxy: { needsUrls: true, needsTunnel: false },
  });
  const readToken = () => proxies.find(clientId)?.authToken?.reveal();
  const issued = readToken();
  expect(issued).toMatch(new RegExp(`^${clientId}\\..{32}$`));
  proxies.issue(clientId, { needsUrls: true, needsTunnel: false });
  expect(readToken()).toBe(issued);
});

test('a key pair is one that WireGuard can use: two of them agree on a secret', () => {
  const one = createKeyPair();
  const other = createKeyPair(Buffer.from(createKeyPair().privateKey.reveal(), 'base64'));
  const toPrivate = (base64: string) => {
    const der = Buffer.concat([
      Buffer.from('302e020100300506032b656e04220420', 'hex'),
      Buffer.from(base64, 'base64'),
    ]);
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  };
  const toPublic = (base64: string) => {
    const der = Buffer.concat([
      Buffer.from('302a300506032b656e032100', 'hex'),
      Buffer.from(base64, 'base64'),
    ]);
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  };
  const agree = (own: string, their: string) => {
    return diffieHellman({ privateKey: toPrivate(own), publicKey: toPublic(their) }).toString(
      'hex',
    );
  };
  const secret = agree(one.privateKey.reveal(), other.publicKey);
  expect(secret).toBe(agree(other.privateKey.reveal(), one.publicKey));
});
