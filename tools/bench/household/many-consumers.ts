import { get } from 'node:http';

/*
 * many-consumers.ts URL SECONDS FIRST COUNT GREEDY: downloads without end from COUNT addresses
 * (10.99.0.FIRST and so on) at once, the first one by GREEDY connections; prints the bytes that
 * each received after the first five seconds, as JSON.
 */
const [url = '', seconds = '', first = '', count = '', greedy = ''] = process.argv.slice(2);
const received = new Map<string, number>();
let isCounting = false;

function download(localAddress: string): void {
  const request = get(url, { localAddress, agent: false }, (response) => {
    response.on('data', (data: Buffer) => {
      if (isCounting) received.set(localAddress, (received.get(localAddress) ?? 0) + data.length);
    });
    response.on('end', () => download(localAddress));
  });
  request.on('error', () => setTimeout(() => download(localAddress), 200));
}

const consumers = Array.from(
  { length: Number(count) },
  (_, index) => `10.99.0.${Number(first) + index}`,
);
for (const address of consumers) {
  received.set(address, 0);
  const connections = address === consumers[0] ? Number(greedy) : 1;
  for (let index = 0; index < connections; index += 1) download(address);
}
setTimeout(() => {
  isCounting = true;
}, 5_000);
setTimeout(
  () => {
    process.stdout.write(`${JSON.stringify([...received.values()])}\n`);
    process.exit(0);
  },
  5_000 + Number(seconds) * 1_000,
);
