// `?raw` imports a file as text. Bundler and test runner both support it.

declare module '*?raw' {
  const text: string;
  export = text;
}
