import { utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findKnownPlaces, findSocket } from '../../../src/config/known-sockets.ts';
import { makeDirectory, makeFile } from './config-fixture.ts';

const inOneHour = Date.now() / 1000 + 3600;
const oneHourAgo = Date.now() / 1000 - 3600;

/** A file in the place of the socket: only when it was made is looked at. */
function makeAgent(madeAt = inOneHour) {
  const stateDirectory = makeDirectory();
  const socket = join(stateDirectory, 'tributary.sock');
  writeFileSync(socket, '');
  utimesSync(socket, madeAt, madeAt);
  return { stateDirectory, socket };
}

describe('the socket of an agent that runs', () => {
  test('is known where the agent began after the last change of the file', async () => {
    const { stateDirectory, socket } = makeAgent();
    const options = {
      stateDirectory,
      environment: { TRIBUTARY_CONFIG: makeFile('service: {}\n') },
      userId: 7,
    };
    expect((await findKnownPlaces(options))?.socketPaths).toContain(socket);
  });

  test('is not taken for known where the file was changed later: it may be broken now', async () => {
    const { stateDirectory } = makeAgent(oneHourAgo);
    const options = {
      stateDirectory,
      environment: { TRIBUTARY_CONFIG: makeFile('service: {}\n') },
      userId: 7,
    };
    expect(await findKnownPlaces(options)).toBeUndefined();
  });

  test('is unknown without an agent’s socket, and without the file', async () => {
    const { stateDirectory } = makeAgent();
    const environment = { TRIBUTARY_SERVICE_BASE_URL: 'https://service.example' };
    const isKnown = async (directory: string, file: string) => {
      const options = {
        stateDirectory: directory,
        environment: { ...environment, TRIBUTARY_CONFIG: file },
        userId: 7,
      };
      return (await findKnownPlaces(options)) !== undefined;
    };
    expect(await isKnown(stateDirectory, makeFile(''))).toBe(true);
    expect(await isKnown(makeDirectory(), makeFile(''))).toBe(false);
    expect(await isKnown(stateDirectory, '/nowhere.yaml')).toBe(false);
  });

  test('is the one that file or environment names, and no other', async () => {
    const { socket } = makeAgent();
    const { stateDirectory } = makeAgent();
    const configPath = makeFile(`status: { socket: ${socket} }\n`);
    expect(
      (await findKnownPlaces({ configPath, stateDirectory, environment: {} }))?.socketPaths,
    ).toEqual([socket]);
    const environment = { TRIBUTARY_STATUS_SOCKET: makeAgent().socket };
    const known = await findKnownPlaces({ configPath, stateDirectory, environment });
    expect(known?.socketPaths).toEqual([environment.TRIBUTARY_STATUS_SOCKET]);
  });

  test('is not the usual one for a file that the command line names, and that names none', async () => {
    const { stateDirectory, socket } = makeAgent();
    const findFor = (text: string) =>
      findKnownPlaces({ configPath: makeFile(text), stateDirectory, environment: {}, userId: 7 });
    expect(await findFor('service: {}\n')).toBeUndefined();
    expect((await findFor(`status: { socket: ${socket} }\n`))?.socketPaths).toEqual([socket]);
  });

  test.each([
    [
      'the environment hands its name in a file',
      'service: {}\n',
      { TRIBUTARY_STATUS_SOCKET_FILE: '/run/name' },
    ],
    ['the file says it in a way of YAML', 'status: { socket: *there }\n', {}],
    ['the file is no text', '\u0000\\', {}],
  ])('takes the whole configuration where %s', async (_claim, text, environment) => {
    const { stateDirectory } = makeAgent();
    const given = { TRIBUTARY_CONFIG: makeFile(text), ...environment };
    expect(await findKnownPlaces({ stateDirectory, environment: given })).toBeUndefined();
  });

  test('is older than the file that the agent then reads, so it is unknown', async () => {
    const stateDirectory = makeDirectory();
    const options = {
      stateDirectory,
      environment: { TRIBUTARY_CONFIG: makeFile('service: {}\n') },
      userId: 7,
    };
    // Two writes within one tick of the kernel's clock have the same time.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const server = createServer().listen(join(stateDirectory, 'tributary.sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await findKnownPlaces(options)).toBeDefined();
    server.close();
  });
});

describe('status.socket in a YAML text', () => {
  test.each([
    ['no word of it', 'service:\n  base_url: https://service.example\n', undefined],
    ['comments alone', 'status:\n  # socket: /run/a.sock\n  #   one socket more\n', undefined],
    ['a line of its own', 'status:\n  socket: /run/a.sock\n  listen: 127.0.0.1:0\n', '/run/a.sock'],
    ['the last line without its end', 'status:\n  socket: "/run/a.sock"', '/run/a.sock'],
    ['JSON', '{"status":{"listen":"127.0.0.1:0","socket":"/run/a.sock"}}', '/run/a.sock'],
    ['a map in one line', 'status: { socket: /run/a.sock }\n', '/run/a.sock'],
    ['a comment behind it', 'status:\n  socket: /run/a.sock # mine\n', ''],
    ['a key with its name inside', 'status:\n  web_socket: /run/a.sock\n', ''],
    ['two of them', 'status:\n  socket: /run/a.sock\nother:\n  socket: /run/b.sock\n', ''],
    ['its value on the next line', 'status:\n  socket:\n    /run/a.sock\n', ''],
    ['a value with blanks', 'status:\n  socket: /run/a b.sock\n', ''],
    ['a relative path', 'status:\n  socket: a.sock\n', ''],
    ['an alias', 'status:\n  socket: *a\n', ''],
    ['one quote of two', 'status:\n  socket: "/run/a.sock\n    b"\n', ''],
    ['escapes', 'status:\n  "sock\\u0065t": /run/a.sock\n', ''],
  ])('with %s', (_claim, text, expected) => {
    expect(findSocket(text)).toBe(expected);
  });
});
