import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { onTestFinished, vi } from 'vitest';
import { findFreePort } from './free-port.ts';

/** Debian keeps the broker where an ordinary user's PATH does not look. */
const withAdminPrograms = { ...process.env, PATH: `/usr/sbin:${process.env.PATH}` };

export const username = 'tributary';
export const password = 'broker-password-4711';

/** A real Mosquitto on loopback that asks for a password, with TLS and without. */
export interface Broker {
  readonly plainUrl: string;
  readonly tlsUrl: string;
  /** Path of the PEM file with the authority that signed the broker's certificate. */
  readonly certificatePath: string;
  start(): Promise<void>;
  /** As a power cut would. */
  kill(): Promise<void>;
}

/** Started, and gone with the test. */
export async function startBroker(): Promise<Broker> {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-broker-'));
  const [plainPort, tlsPort] = [await findFreePort(), await findFreePort()];
  const certificatePath = join(directory, 'broker.pem');
  const configPath = writeConfig(directory, plainPort, tlsPort);
  let running: ChildProcess | undefined;
  const kill = async () => {
    if (running?.exitCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  };
  const start = async () => {
    running = spawn('mosquitto', ['-c', configPath], { stdio: 'ignore', env: withAdminPrograms });
    await vi.waitFor(() => tryConnect(plainPort), { timeout: 10_000 });
  };
  onTestFinished(async () => {
    await kill();
    rmSync(directory, { recursive: true, force: true });
  });
  await start();
  return {
    plainUrl: `mqtt://127.0.0.1:${plainPort}`,
    tlsUrl: `mqtts://localhost:${tlsPort}`,
    certificatePath,
    start,
    kill,
  };
}

/**
 * A client that reads along at the broker: the newest text of each topic, and its own word on a
 * topic.
 */
export interface Reader {
  readonly texts: ReadonlyMap<string, string>;
  readonly client: MqttClient;
  json(topic: string): Record<string, unknown>;
}

export async function startReader(url: string): Promise<Reader> {
  const client = await connectAsync(url, { username, password, reconnectPeriod: 50 });
  const texts = new Map<string, string>();
  client.on('message', (topic, payload) => texts.set(topic, payload.toString('utf8')));
  await client.subscribeAsync('#');
  onTestFinished(() => client.endAsync(true));
  return { texts, client, json: (topic) => JSON.parse(texts.get(topic) ?? '{}') };
}

function writeConfig(directory: string, plainPort: number, tlsPort: number): string {
  const at = (name: string) => join(directory, name);
  const key = [
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    at('broker.key'),
    '-out',
    at('broker.pem'),
  ];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, ...names], { stdio: 'ignore' });
  execFileSync('mosquitto_passwd', ['-c', '-b', at('passwords'), username, password], {
    stdio: 'ignore',
  });
  const lines = [
    'user root',
    'allow_anonymous false',
    `password_file ${at('passwords')}`,
    'log_type error',
    `listener ${plainPort} 127.0.0.1`,
    `listener ${tlsPort} 127.0.0.1`,
    `certfile ${at('broker.pem')}`,
    `keyfile ${at('broker.key')}`,
  ];
  writeFileSync(at('mosquitto.conf'), `${lines.join('\n')}\n`);
  return at('mosquitto.conf');
}

async function tryConnect(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
