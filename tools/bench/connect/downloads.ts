import { get } from 'node:http';

/*
 * downloads.ts URL ADDRESS…: downloads from each of these addresses of its host at once; prints, in
 * their order, {bytes, seconds, silenceSeconds} as JSON: silence is the longest time without a
 * byte, from the first moment on.
 */
interface Download {
  bytes: number;
  seconds: number;
  silenceSeconds: number;
}

const [url = '', ...addresses] = process.argv.slice(2);

function download(localAddress: string): Promise<Download> {
  const startedAt = performance.now();
  const result: Download = { bytes: 0, seconds: 0, silenceSeconds: 0 };
  let heardAt = startedAt;
  const hear = (bytes: number): void => {
    const now = performance.now();
    result.bytes += bytes;
    result.seconds = (now - startedAt) / 1000;
    result.silenceSeconds = Math.max(result.silenceSeconds, (now - heardAt) / 1000);
    heardAt = now;
  };
  return new Promise((resolve) => {
    const end = (): void => {
      hear(0);
      resolve(result);
    };
    get(url, { localAddress, agent: false }, (response) => {
      response.on('data', (data: Buffer) => hear(data.length));
      response.on('end', end);
      response.on('error', end);
    }).on('error', end);
  });
}

process.stdout.write(`${JSON.stringify(await Promise.all(addresses.map(download)))}\n`);
