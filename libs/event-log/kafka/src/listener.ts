import { connect as connectPlainly, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';

const LIMIT_MS = 1_000;
const SASL_HANDSHAKE = 17;
const VERSION = 1;
const CORRELATION = 4242;
/** Of size, correlation and error. */
const HEAD_BYTES = 10;

/**
 * Asks a listener of Kafka how users sign in there, in the clear or by TLS with whatever certificate it has. Resolves
 * with its SASL mechanisms, none where it knows no users; undefined when nobody answers as Kafka does. Never rejects.
 */
export async function signInMechanisms(address: string, tls: boolean): Promise<string[] | undefined> {
  const [, host, port] = /^(.*):(\d+)$/.exec(address) as unknown as [string, string, string];
  const where = { host, port: Number(port) };
  // Nothing is told to it that it could misuse.
  const socket = tls ? connectByTls({ ...where, rejectUnauthorized: false }) : connectPlainly(where);
  try {
    return await answerOf(socket, tls ? 'secureConnect' : 'connect');
  } finally {
    socket.destroy();
  }
}

function answerOf(socket: Socket, ready: 'connect' | 'secureConnect'): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    const nobody = () => resolve(undefined);
    let received = Buffer.alloc(0);
    socket.setTimeout(LIMIT_MS, nobody);
    socket.once(ready, () => socket.write(handshake()));
    socket.on('error', nobody);
    socket.on('close', nobody);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < HEAD_BYTES) return;
      if (received.readInt32BE(4) !== CORRELATION) return nobody();
      if (received.length >= 4 + received.readInt32BE(0)) resolve(mechanismsIn(received));
    });
  });
}

/** Of a mechanism that there is not: the answer names those that there are. */
function handshake(): Buffer {
  const body = Buffer.alloc(12);
  body.writeInt16BE(SASL_HANDSHAKE, 0);
  body.writeInt16BE(VERSION, 2);
  body.writeInt32BE(CORRELATION, 4);
  // No name of the client, no name of a mechanism.
  body.writeInt16BE(-1, 8);
  body.writeInt16BE(0, 10);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
}

function mechanismsIn(answer: Buffer): string[] {
  const names: string[] = [];
  let at = HEAD_BYTES + 4;
  for (let left = answer.readInt32BE(HEAD_BYTES); left > 0; left--) {
    const end = at + 2 + answer.readInt16BE(at);
    names.push(answer.toString('utf8', at + 2, end));
    at = end;
  }
  return names;
}
