// The worker that runs agekit. It is a script in memory, so that it also starts from a file
// on a stick, where browsers let no worker be loaded.
"use strict";

// Go's program sees the files that were dropped on the page, and no others.
const files = new Map();
globalThis.fs = (() => {
  const open = new Map();
  let next = 3, line = "";
  const error = (code) => Object.assign(new Error(code), { code });
  const kind = (path) => files.has(path) ? "file" : [...files.keys()].some((f) => f.startsWith(path === "/" ? "/" : path + "/")) ? "folder" : null;
  const status = (path) => ({
    dev: 1, ino: 1, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 1, atimeMs: 0, mtimeMs: 0, ctimeMs: 0,
    mode: kind(path) === "file" ? 0o100444 : 0o040555, size: kind(path) === "file" ? files.get(path).length : 0,
    isDirectory: () => kind(path) === "folder",
  });
  const stat = (path, done) => kind(path) ? done(null, status(path)) : done(error("ENOENT"));
  const refuse = (...args) => args[args.length - 1](error("ENOSYS"));
  const fs = {
    constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_TRUNC: 512, O_APPEND: 1024, O_EXCL: 128, O_DIRECTORY: 65536 },
    writeSync(fd, bytes) {
      line += new TextDecoder().decode(bytes);
      const end = line.lastIndexOf("\n");
      if (end >= 0) { console.log(line.slice(0, end)); line = line.slice(end + 1); }
      return bytes.length;
    },
    write(fd, buffer, offset, length, position, done) { done(null, fs.writeSync(fd, buffer.subarray(offset, offset + length))); },
    open(path, flags, mode, done) {
      if (!kind(path)) return done(error("ENOENT"));
      if (flags & 3) return done(error("EROFS"));
      open.set(next, { path, at: 0 });
      done(null, next++);
    },
    read(fd, buffer, offset, length, position, done) {
      const f = open.get(fd);
      if (!f || !files.has(f.path)) return done(error("EBADF"));
      const at = position === null ? f.at : Number(position), part = files.get(f.path).subarray(at, at + length);
      buffer.set(part, offset);
      if (position === null) f.at += part.length;
      done(null, part.length);
    },
    close(fd, done) { open.delete(fd); done(null); },
    fstat(fd, done) { open.has(fd) ? stat(open.get(fd).path, done) : done(error("EBADF")); },
    stat, lstat: stat,
    readdir(path, done) {
      if (kind(path) !== "folder") return done(error("ENOENT"));
      const inside = path === "/" ? "/" : path + "/";
      done(null, [...new Set([...files.keys()].filter((f) => f.startsWith(inside)).map((f) => f.slice(inside.length).split("/")[0]))]);
    },
    fsync(fd, done) { done(null); },
  };
  for (const name of ["chmod", "chown", "fchmod", "fchown", "ftruncate", "lchown", "link", "mkdir", "readlink", "rename", "rmdir", "symlink", "truncate", "unlink", "utimes"]) fs[name] = refuse;
  return fs;
})();

// unpack returns the bytes of a text in base 85, see base85 of the program that builds the pages: five
// characters are four bytes, and fewer at the end one byte less than there are characters.
function unpack(text) {
  const bytes = new Uint8Array(Math.floor(text.length * 4 / 5));
  for (let i = 0, n = 0; i < text.length; i += 5) {
    const have = Math.min(5, text.length - i);
    let value = 0;
    for (let k = 0; k < 5; k++) {
      const c = k < have ? text.charCodeAt(i + k) : 117;
      value = 85 * value + (c === 118 ? 34 : c === 119 ? 92 : c) - 33;
    }
    for (let k = 0; k < have - 1; k++) bytes[n++] = value >>> (24 - 8 * k);
  }
  return bytes;
}

async function start(program) {
  if (typeof program === "string") {
    const unpacked = new Response(new Blob([unpack(program)]).stream().pipeThrough(new DecompressionStream("gzip")));
    program = await WebAssembly.compile(await unpacked.arrayBuffer());
  }
  const go = new Go(), ready = new Promise((done) => { globalThis.agekitReady = done; });
  go.env = { AGEKIT_MEMORY: "2GB" };
  go.run(await WebAssembly.instantiate(program, go.importObject)).then(() => postMessage({ failed: "agekit ended" }));
  await ready;
  postMessage({ ready: program });
}

onmessage = (event) => {
  const m = event.data;
  if (m.program) return start(m.program).catch((e) => postMessage({ failed: String(e) }));
  if (m.files) {
    files.clear();
    for (const f of m.files) files.set(f.path, f.bytes);
    return;
  }
  agekitCall(m.name, JSON.stringify(m.args), m.numbers, (error, value, numbers) => {
    if (error !== null) return postMessage({ id: m.id, error });
    postMessage({ id: m.id, value: JSON.parse(value), numbers }, Object.values(numbers).map((list) => list.buffer));
  });
};
