import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

const read = (name: string) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8');

const unusedOfUndici =
  /\/(client-h2|web\/(fetch\/(body|formdata)|webidl)|llhttp_simd-wasm)(\.js)?$/;

/**
 * The program. CommonJS, because `require('node:http')` does not load Node's own copy of undici and
 * an ES module's import does. The daemon, the commands, the reference service and the lab are
 * chunks of their own: each loads what it needs.
 */
export const program = defineConfig({
  input: {
    tributary: 'src/tributary.ts',
    demo: 'tools/lab/demo.ts',
    bench: 'tools/bench/bench.ts',
    'bare-server': 'tools/bench/bare-server.ts',
    worker: 'tools/lab/worker.ts',
  },
  platform: 'node',
  plugins: [
    {
      // The page's script and style are files of their own, and texts in the bundle. Vite knows
      // `?raw` by itself.
      name: 'raw-text',
      resolveId: (id, importer) =>
        id.endsWith('?raw') ? resolve(dirname(importer ?? ''), id) : undefined,
      load: (id) =>
        id.endsWith('?raw')
          ? `export default ${JSON.stringify(readFileSync(id.slice(0, -'?raw'.length), 'utf8'))}`
          : undefined,
    },
    {
      // The first file has the version as its own, so that it can be asked without loading another.
      name: 'own-version',
      resolveId: (id, importer) =>
        importer?.endsWith('/src/tributary.ts') && id === './version.ts'
          ? '\0own-version'
          : undefined,
      load: (id) =>
        id === '\0own-version'
          ? `export const version = ${JSON.stringify(JSON.parse(read('package.json')).version)};`
          : undefined,
    },
    {
      // One letter beyond Latin-1 has V8 keep the whole chunk in two bytes a letter, as long as it
      // is loaded.
      name: 'narrow-text',
      generateBundle: (_, bundle) => {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type !== 'chunk') continue;
          const toAscii = (letter: string) =>
            `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
          chunk.code = chunk.code.replace(/[^\0-\u00ff]/g, toAscii);
        }
      },
    },
    {
      // Packages that others use where they find them, and Node looks below the home directory too.
      // Here they find none.
      name: 'left-out',
      resolveId: (id) =>
        /^(bufferutil|utf-8-validate|supports-color)$/.test(id) ? `\0left-out:${id}` : undefined,
      load: (id) =>
        id.startsWith('\0left-out:') ? "throw new Error('left out of the bundle');" : undefined,
    },
    {
      // Of undici, what HTTP/1.1 with texts as bodies does not need: HTTP/2, forms, fetch, and the
      // parser once more for processors that could do without. All text of a file is in memory as
      // long as it is loaded, and this was three quarters of it.
      name: 'small-undici',
      resolveId: (id, importer = '') =>
        /\/undici\/lib\//.test(importer) && unusedOfUndici.test(id) ? `\0unused:${id}` : undefined,
      load: (id) =>
        id.startsWith('\0unused:')
          ? "module.exports = () => { throw new Error('left out of the bundle'); };"
          : undefined,
    },
  ],
  transform: {
    target: 'node22.19',
    // undici leaves out a second parser of HTTP where a bundle is made for Node itself.
    define: { esbuildDetection: 'true' },
  },
  external: (id) => id.startsWith('node:') && id !== 'node:http2',
  resolve: { alias: { 'node:http2': `${import.meta.dirname}/src/system/no-http2.ts` } },
  output: {
    dir: 'dist',
    format: 'cjs',
    // An agent that runs from here loads chunks late: a build does not pull them from under it.
    cleanDir: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Finding a file takes longer than reading it: what every command loads, and what answers for a
    // running agent, is in few.
    codeSplitting: {
      groups: [
        { name: 'lib', test: /\/src\/(lib\/|service\/profiles\.ts)/, priority: 2 },
        {
          name: 'ask',
          test: /\/src\/(main|cli\/.*\/(status|health|run-command)|status\/socket-client)\.ts$/,
          priority: 1,
        },
      ],
    },
    minify: { mangle: false, compress: true, codegen: true },
  },
});

const clientParts: { readonly [id: string]: string | undefined } = {
  '\0websocket-client:ws': `import WebSocket from '${import.meta.dirname}/node_modules/ws/lib/websocket.js'; export { WebSocket };`,
  '\0websocket-client:./permessage-deflate':
    "module.exports = { extensionName: 'permessage-deflate' };",
};

/**
 * The engine of the network's own protocol, a process of its own that runs for weeks: one file with
 * what it needs and nothing else, because each module of it is memory on a small computer.
 */
export const engine = defineConfig({
  ...program,
  input: { engine: 'src/connect/engine/main.ts' },
  plugins: [
    program.plugins,
    {
      // The package's own entry loads its server, too. Messages are not compressed, and the client
      // refuses what was not asked for: of that it has the name, and not zlib.
      name: 'websocket-client',
      resolveId: (id, importer = '') =>
        id === 'ws' || (id === './permessage-deflate' && /\/ws\/lib\//.test(importer))
          ? `\0websocket-client:${id}`
          : undefined,
      load: (id) => clientParts[id],
    },
  ],
  output: { ...program.output, codeSplitting: false },
});

/**
 * The typed client of the service, as an npm package of its own: programs that only call the
 * service install no agent.
 */
export const serviceClient = defineConfig({
  input: { service: 'src/service/entry.ts' },
  platform: 'node',
  plugins: [
    {
      name: 'npm-package',
      generateBundle() {
        // What the package says of itself stands in one place. What is built is CommonJS, and lies
        // elsewhere than the source.
        const { type: _, ...manifest } = JSON.parse(read('src/service/package.json'));
        const exports = { types: './types/service/entry.d.ts', default: './service.cjs' };
        this.emitFile({
          type: 'asset',
          fileName: 'package.json',
          source: `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`,
        });
        this.emitFile({
          type: 'asset',
          fileName: 'README.md',
          source: read('docs/development/service.md'),
        });
        this.emitFile({ type: 'asset', fileName: 'LICENSE', source: read('LICENSE') });
      },
    },
  ],
  transform: { target: 'node22.19' },
  external: /^(node:|undici\b|zod\b)/,
  output: {
    dir: 'dist/service',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});

export default [program, engine, serviceClient];
