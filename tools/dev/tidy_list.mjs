// tidy_list.mjs DB ROOT SALT [FILE...]: the files that clang-tidy is to see, one "KEY FILE" a line. DB: compile_commands.json.
// KEY is a hash of the file, of every file of ours that it includes directly or not, of its command and of SALT (the rules and
// the tool), so that a file that passed is looked at again only when something it depends on changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const [db, root, salt, ...named] = process.argv.slice(2);
const wanted = named.map((file) => resolve(file));
const texts = new Map();  // path -> {text, includes}

function read(path) {
  if (!texts.has(path)) {
    const text = readFileSync(path, 'utf8');
    const includes = [...text.matchAll(/^ *# *include *[<"]([^>"]+)[>"]/gm)].map((m) => m[1]);
    texts.set(path, { text, includes });
  }
  return texts.get(path);
}

function closure(path, folders, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const name of read(path).includes) {
    const found = [dirname(path), ...folders].map((folder) => join(folder, name)).find((p) => p.startsWith(`${root}/`) && existsSync(p));
    if (found) closure(found, folders, seen);
  }
  return seen;
}

for (const { file, directory, command } of JSON.parse(readFileSync(db, 'utf8'))) {
  const path = resolve(directory, file);
  if (!path.endsWith('.cpp') || !path.startsWith(`${root}/`) || (wanted.length && !wanted.includes(path))) continue;
  const folders = [...command.matchAll(/(?:-I|-isystem) ?(\S+)/g)].map((m) => resolve(directory, m[1]));
  const hash = createHash('sha256').update(salt).update(command);
  for (const part of [...closure(path, folders)].sort()) hash.update(relative(root, part)).update(read(part).text);
  console.log(`${hash.digest('hex').slice(0, 32)} ${relative(root, path)}`);
}
