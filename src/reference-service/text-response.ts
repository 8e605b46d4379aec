/** An answer in plain words, as the service gives it beside its operations. */
export function respondWithText(
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...more },
  });
}
