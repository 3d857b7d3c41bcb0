// serve.mjs FOLDER [PORT]: serves FOLDER's files on 127.0.0.1, to this machine only. Port 0: any free one.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.json': 'application/json',
  '.svg': 'image/svg+xml', '.wasm': 'application/wasm',
};

export function serve(folder, port) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const file = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path));
    const found = file.startsWith(normalize(folder) + sep) && statSync(file, { throwIfNoEntry: false });
    if (!found || !found.isFile()) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
      return;
    }
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream', 'content-length': found.size, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

if (process.argv[1] === import.meta.filename) {
  const [folder, port = '8137'] = process.argv.slice(2);
  try {
    const server = await serve(folder, Number(port));
    console.error(`http://127.0.0.1:${server.address().port}/ (Ctrl-C ends it)`);
  } catch (error) {
    console.error(`port ${port} of 127.0.0.1 cannot be had: ${error.message}; give another one: ./dev web serve PORT`);
    process.exitCode = 2;
  }
}
