import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
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

/**
 * Started, and gone with the test.
 * @param refusedTopic its user may not subscribe to it
 */
export async function startBroker(refusedTopic?: string): Promise<Broker> {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-broker-'));
  const [plainPort, tlsPort] = [await findFreePort(), await findFreePort()];
  const certificatePath = join(directory, 'broker.pem');
  const configPath = writeConfig(directory, [plainPort, tlsPort], refusedTopic);
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

function writeConfig(
  directory: string,
  [plainPort, tlsPort]: readonly [number, number],
  refusedTopic: string | undefined,
): string {
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
  const lines = [
    'user root',
    'allow_anonymous false',
    ...(refusedTopic === undefined
      ? writePasswords(at('passwords'))
      : writeAccess(at('access.json'), refusedTopic)),
    'log_type error',
    `listener ${plainPort} 127.0.0.1`,
    `listener ${tlsPort} 127.0.0.1`,
    `certfile ${at('broker.pem')}`,
    `keyfile ${at('broker.key')}`,
  ];
  writeFileSync(at('mosquitto.conf'), `${lines.join('\n')}\n`);
  return at('mosquitto.conf');
}

function writePasswords(path: string): readonly string[] {
  execFileSync('mosquitto_passwd', ['-c', '-b', path, username, password], { stdio: 'ignore' });
  return [`password_file ${path}`];
}

/** By its plugin, because Mosquitto's own lists of access let anyone subscribe. */
function writeAccess(path: string, refusedTopic: string): readonly string[] {
  const salt = randomBytes(12);
  const iterations = 101;
  const hash = pbkdf2Sync(password, salt, iterations, 64, 'sha512');
  const acls = [{ acltype: 'subscribePattern', topic: refusedTopic, priority: 0, allow: false }];
  const access = {
    defaultACLAccess: {
      publishClientSend: true,
      publishClientReceive: true,
      subscribe: true,
      unsubscribe: true,
    },
    clients: [
      {
        username,
        password: hash.toString('base64'),
        salt: salt.toString('base64'),
        iterations,
        roles: [{ rolename: 'device' }],
      },
    ],
    roles: [{ rolename: 'device', acls }],
  };
  writeFileSync(path, JSON.stringify(access));
  const plugin = execFileSync('find', ['/usr/lib', '-name', 'mosquitto_dynamic_security.so'], {
    encoding: 'utf8',
  }).trim();
  return [`plugin ${plugin}`, `plugin_opt_config_file ${path}`];
}

async function tryConnect(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
