/**
 * Node's options for the engine's process.
 *
 * The young part of the heap is four MiB in place of sixteen: packets are garbage at once, so it
 * takes a fifth less memory under load and costs nothing that can be measured. No debugger is
 * opened at a signal.
 *
 * Node's permissions leave the program its own file to read and the network: it opens no file,
 * writes none, and starts no program, thread or native code. They hold for what is written in
 * JavaScript alone. Node's database opens files past them, so it is left out.
 * @param file the engine's own file, without a link in its path
 * @param known the options that this Node has (`process.allowedNodeEnvironmentFlags`)
 */
export function toEngineNodeOptions(
  file: string,
  known: Pick<ReadonlySet<string>, 'has'>,
): readonly string[] {
  return [
    '--max-semi-space-size=4',
    '--disable-sigusr1',
    '--permission',
    `--allow-fs-read=${file}`,
    // Node 24 has no such permission, and does not start with what it does not know.
    ...(known.has('--allow-net') ? ['--allow-net'] : []),
    '--no-experimental-sqlite',
  ];
}
