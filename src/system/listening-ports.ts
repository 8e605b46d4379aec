import { readFileIfThere } from './files.ts';

/** A TCP socket that waits for connections, in the kernel's words. */
const listening = '0A';

/**
 * The ports of this network namespace at which programs wait to be spoken to, over TCP or UDP:
 * sockets that belong to no single far end. Reads `/proc/self/net`, and needs no rights.
 */
export async function observeListeningPorts(): Promise<readonly number[]> {
  const [tcp = [], tcp6 = [], udp = [], udp6 = []] = await Promise.all(
    ['tcp', 'tcp6', 'udp', 'udp6'].map(async (name) =>
      parseSockets((await readFileIfThere(`/proc/self/net/${name}`)) ?? ''),
    ),
  );
  const ports = [
    ...[...tcp, ...tcp6].filter(({ state }) => state === listening),
    ...[...udp, ...udp6].filter(({ farPort }) => farPort === 0),
  ].map(({ port }) => port);
  return [...new Set(ports)].sort((one, other) => one - other);
}

/** Each line: a number, own address and port, the far end's, and the state, in hexadecimal. */
export function parseSockets(
  text: string,
): readonly { readonly port: number; readonly farPort: number; readonly state: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, own, far, state] =
      /^\s*\d+:\s+[\dA-F]+:([\dA-F]{4})\s+[\dA-F]+:([\dA-F]{4})\s+([\dA-F]{2})\s/.exec(line) ?? [];
    if (own === undefined || far === undefined || state === undefined) return [];
    return [{ port: Number.parseInt(own, 16), farPort: Number.parseInt(far, 16), state }];
  });
}
