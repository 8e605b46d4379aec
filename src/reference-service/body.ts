/** A body that cannot be taken. */
export interface BadBody {
  readonly status: 400 | 413;
  readonly message: string;
}

/** Beyond this many times the limit the rest is not even read away. */
const patience = 16;

/** The body of a request as JSON. */
export async function readJson(request: Request, limitBytes: number): Promise<{ readonly value: unknown } | BadBody> {
  const text = await readText(request, limitBytes);
  if (text === undefined) return { status: 413, message: 'Request Entity Too Large' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { status: 400, message: 'The body is not JSON.' };
  }
}

/**
 * The body as text; undefined where it is longer than `limitBytes`. What is too long is read and forgotten, within
 * reason: a caller who is still sending would otherwise see a broken connection instead of the answer.
 */
async function readText(request: Request, limitBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes <= limitBytes) chunks.push(chunk);
    else if (bytes > limitBytes * patience) break;
  }
  return bytes > limitBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}
