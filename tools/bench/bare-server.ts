import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

/**
 * The least that a server of these libraries has to do: it answers every request with one constant.
 * It prints its address.
 */
const app = new Hono().all('*', (context) => context.json({ payout_wallet_id: '' }));
const server = createServer(getRequestListener(app.fetch));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
