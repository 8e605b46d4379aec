/** A host of the Internet that answers a consumer's datagrams: a program for Node. */
export const answerAll = `
  const socket = require("node:dgram").createSocket("udp4");
  socket.on("message", (message, from) => socket.send(message, from.port, from.address));
  socket.bind(443, "192.0.2.10");
`;

/**
 * A consumer: a datagram every ten milliseconds; says how long each gap of a fifth of a second or
 * more was, in seconds.
 */
export const converse = `
  const socket = require("node:dgram").createSocket("udp4");
  let last;
  socket.on("error", () => undefined).on("message", () => {
    const now = performance.now();
    if (last === undefined) console.log("talks");
    else if (now - last >= 200) console.log((now - last) / 1000);
    last = now;
  });
  setInterval(() => socket.send("x", 443, "192.0.2.10", () => undefined), 10);
`;
