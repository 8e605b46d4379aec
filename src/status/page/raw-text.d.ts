// `?raw` hands a file over as text; the bundler and the test runner both put it in place.

declare module '*?raw' {
  const text: string;
  export = text;
}
