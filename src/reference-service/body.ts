/** Beyond this many times the limit the rest is not even read away. */
const patience = 16;

/**
 * The body as text; undefined where it is longer than `limitBytes`. What is too long is read and forgotten, within
 * reason: a caller who is still sending would otherwise see a broken connection instead of the answer.
 */
export async function readBody(request: Request, limitBytes: number): Promise<string | undefined> {
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes <= limitBytes) chunks.push(value);
    else if (bytes > limitBytes * patience) {
      await reader.cancel();
      break;
    }
  }
  return bytes > limitBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}
